// The petstore command with a clock that is wrong by PETSTORE_TEST_CLOCK_MS.
const aheadMs = Number(process.env.PETSTORE_TEST_CLOCK_MS)
const now = Date.now
Date.now = () => now() + aheadMs
await import('../../src/main.ts')

export {}
