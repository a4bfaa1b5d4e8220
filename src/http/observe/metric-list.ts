interface MetricShape {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
}

/**
 * Every metric of a store and of a host of sandboxes. A counter starts at 0 for each value of its label that the
 * service knows, so that Prometheus sees the first increase.
 */
export const metricList = {
  petstore_build_info: { type: 'gauge', help: 'Always 1; the labels say what runs.' },
  petstore_ready: { type: 'gauge', help: 'Whether the readiness probe succeeds: 1 or 0.' },
  petstore_not_ready: { type: 'gauge', help: 'Whether the readiness probe fails for this reason: 1 or 0.' },
  petstore_requests_total: { type: 'counter', help: 'Requests, by operation and status.' },
  petstore_errors_total: { type: 'counter', help: 'Responses with an error, by its code.' },
  petstore_deprecated_requests_total: {
    type: 'counter',
    help: 'Requests to deprecated operations, by operation.',
  },
  petstore_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from request to response, by operation.',
  },
  petstore_event_streams: { type: 'gauge', help: 'Open event streams.' },
  petstore_events_unnumbered: {
    type: 'gauge',
    help: 'Commits whose events have no position yet, on PostgreSQL.',
  },
  petstore_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts to deliver an event to a webhook, by the state of the delivery afterwards.',
  },
  petstore_webhooks: {
    type: 'gauge',
    help: 'Webhooks, by state: working, failing (the last attempt failed), disabled.',
  },
  petstore_webhook_backlog: {
    type: 'gauge',
    help: 'Deliveries that will be attempted again, counted up to 10,000.',
  },
  petstore_webhook_backlog_age_seconds: { type: 'gauge', help: 'Age of the oldest of them; 0 without one.' },
  petstore_cache_reads_total: {
    type: 'counter',
    help: 'Reads that the cache may answer, by whether it did.',
  },
  petstore_cache_entries: { type: 'gauge', help: 'Representations in the cache.' },
  petstore_cache_chars: {
    type: 'gauge',
    help: 'Characters in the cache of representations: one byte each in Latin text, two in other text.',
  },
  petstore_database_bytes: { type: 'gauge', help: 'Size of the database.' },
  petstore_log_bytes: { type: 'gauge', help: 'Size of the write-ahead log of SQLite.' },
  petstore_disk_free_bytes: {
    type: 'gauge',
    help: 'Free space of the disk with the data directory, on SQLite.',
  },
  petstore_clock_ahead_seconds: {
    type: 'gauge',
    help:
      'How far the clock of this machine is ahead of that of PostgreSQL; on SQLite, how far it is behind the newest ' +
      'change, as a negative number.',
  },
  petstore_database_waits_total: {
    type: 'counter',
    help: 'Uses of a connection to PostgreSQL that had to wait for it, by pool.',
  },
  petstore_database_wait_seconds_total: { type: 'counter', help: 'Time of these waits, by pool.' },
  petstore_database_uses_total: {
    type: 'counter',
    help: 'Uses of a connection to PostgreSQL, by pool: one for a transaction or a read.',
  },
  petstore_database_use_seconds_total: { type: 'counter', help: 'Time of these uses, by pool.' },
  petstore_database_connections_busy: {
    type: 'gauge',
    help: 'Connections to PostgreSQL in use, by pool.',
  },
  petstore_database_connections_max: { type: 'gauge', help: 'The maximum of these connections, by pool.' },
  petstore_last_backup_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last backup began, in seconds since 1970; 0 if none is known.',
  },
  petstore_nightly_backups_total: {
    type: 'counter',
    help: 'Backups of PETSTORE_BACKUPS, by result: saved, damaged (saved, with a changed audit log) or failed.',
  },
  petstore_last_drill_timestamp_seconds: {
    type: 'gauge',
    help: 'When "petstore drill" last restored a backup and found it good, in seconds since 1970; 0 if never.',
  },
  petstore_last_audit_check_timestamp_seconds: {
    type: 'gauge',
    help: 'When the audit log was checked as a whole, by a backup or by "petstore audit verify"; 0 if never.',
  },
  petstore_audit_log_intact: {
    type: 'gauge',
    help: 'Whether the last check found the audit log intact: 1 or 0; 1 before the first check.',
  },
  petstore_sandboxes: { type: 'gauge', help: 'Sandboxes of the host, by state: open or asleep.' },
  petstore_sandboxes_max: { type: 'gauge', help: 'The maximum number of sandboxes of the host.' },
  petstore_sandboxes_bytes: { type: 'gauge', help: 'Size of the files of all sandboxes.' },
  petstore_sandboxes_bytes_max: { type: 'gauge', help: 'The maximum of this size.' },
  process_cpu_user_seconds_total: { type: 'counter', help: 'Total user CPU time spent in seconds.' },
  process_cpu_system_seconds_total: { type: 'counter', help: 'Total system CPU time spent in seconds.' },
  process_cpu_seconds_total: { type: 'counter', help: 'Total user and system CPU time spent in seconds.' },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'Start time of the process since unix epoch in seconds.',
  },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory size in bytes.' },
  process_virtual_memory_bytes: { type: 'gauge', help: 'Virtual memory size in bytes.' },
  process_open_fds: { type: 'gauge', help: 'Number of open file descriptors.' },
  process_max_fds: { type: 'gauge', help: 'Maximum number of open file descriptors.' },
  nodejs_eventloop_lag_max_seconds: {
    type: 'gauge',
    help: 'The longest lag of the event loop in the last one to two minutes, in seconds.',
  },
  nodejs_heap_size_total_bytes: { type: 'gauge', help: 'Process heap size from Node.js in bytes.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Process heap size used from Node.js in bytes.' },
  nodejs_external_memory_bytes: { type: 'gauge', help: 'Node.js external memory size in bytes.' },
} as const satisfies Readonly<Record<string, MetricShape>>

export type MetricName = keyof typeof metricList
