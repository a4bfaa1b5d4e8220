import { expect, test } from 'bun:test'
import { IdBlocks } from './id-blocks.ts'

/** Returns two processes that reserve blocks of ids from one counter, which starts at 0. */
function twoProcesses(): [IdBlocks, IdBlocks] {
  let last = 0n
  const reserve = async (_noun: string, count: bigint): Promise<bigint> => {
    await null
    last += count
    return last
  }
  return [new IdBlocks(reserve), new IdBlocks(reserve)]
}

test('two processes give every id from 1 on once, also when many commands need the first id of a block', async () => {
  const processes = twoProcesses()
  const ids = await Promise.all(
    Array.from({ length: 1500 }, () => processes.map(process => process.next('pet'))).flat(),
  )
  const sorted = ids.toSorted((a, b) => Number(a - b))
  expect([sorted[0], new Set(ids).size]).toEqual([1n, 3000])
  expect(sorted.at(-1)).toBeLessThanOrEqual(4000n)
})

test('the ids of a process follow each other within a block and across blocks', async () => {
  const [process] = twoProcesses()
  const ids: bigint[] = []
  for (let count = 0; count < 2001; count++) ids.push(await process.next('order'))
  expect(ids).toEqual(Array.from({ length: 2001 }, (_, index) => BigInt(index + 1)))
})

test('each noun has ids of its own', async () => {
  const last = new Map<string, bigint>()
  const ids = new IdBlocks(async (noun, count) => {
    const end = (last.get(noun) ?? 0n) + count
    last.set(noun, end)
    return end
  })
  expect([await ids.next('pet'), await ids.next('order'), await ids.next('pet')]).toEqual([1n, 1n, 2n])
})
