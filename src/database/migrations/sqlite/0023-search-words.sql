-- The step after this script writes the words of names with katakana, apostrophes, and signs such as %.
SELECT 1;
