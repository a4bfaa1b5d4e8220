-- These indexes come after the keys that they contain: building an index at once is cheaper than filling it row by row.
CREATE INDEX category_by_sort_key ON category (sort_key, id);
CREATE INDEX pet_by_sort_key ON pet (sort_key, id);
CREATE INDEX pet_by_status_sort_key ON pet (status, sort_key, id);
CREATE INDEX pet_by_category_sort_key ON pet (category_id, status, sort_key, id);
