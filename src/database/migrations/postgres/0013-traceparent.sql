-- `traceparent`: the trace of the request that made the change (W3C Trace Context), if it named one.
ALTER TABLE event ADD COLUMN traceparent TEXT COLLATE "C";
