-- The hash of the key that a code hands over: another code for the same key ends it. Codes of before end by their age.
ALTER TABLE handover ADD COLUMN key_hash TEXT COLLATE "C";
