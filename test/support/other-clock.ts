// The petstore command with a clock that is wrong by TEST_CLOCK_MS.
const aheadMs = Number(process.env.TEST_CLOCK_MS)
const now = Date.now
Date.now = () => now() + aheadMs
await import('../../src/main.ts')

export {}
