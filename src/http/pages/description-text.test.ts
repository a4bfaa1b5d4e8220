import { expect, test } from 'bun:test'
import { DescriptionTexts } from './description-text.ts'

test('the description of a store has its own base address, and is written once for all stores', async () => {
  const texts = new DescriptionTexts()
  const all = () => true
  const [one, other] = ['http://one.example', 'https://shop.example/a/b']
  for (const format of ['json', 'yaml'] as const) {
    const first = await texts.text('3.0', format, one, all)
    const second = await texts.text('3.0', format, other, all)
    expect(first).toContain(one)
    expect([first.includes('base.invalid'), second.includes(one)]).toEqual([false, false])
    expect(second).toBe(first.replaceAll(one, other))
  }
  const stable = await texts.text('3.0', 'json', one, ({ stability }) => stability === undefined)
  expect(stable.length).toBeLessThan((await texts.text('3.0', 'json', one, all)).length)
})
