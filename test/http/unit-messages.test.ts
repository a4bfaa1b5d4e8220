import { expect, test } from 'bun:test'
import { makePet } from '../support/shop.ts'
import { openTestStore, refusalOf } from '../support/store.ts'

test('a message about one unit has the noun in the singular', async () => {
  await using store = await openTestStore('sqlite')
  const { client } = store
  const { petId } = await makePet(client, { quantity: 1n, reserved: 1n })
  const messages = [
    await refusalOf(client.deletePet({ petId })),
    await refusalOf(client.updatePet({ petId, body: { status: 'sold' } })),
    await refusalOf(client.placeOrder({ body: { petId, quantity: 1n } })),
  ].map(({ message }) => message)
  const { petId: otherPetId } = await makePet(client, { quantity: 5n, reserved: 2n })
  messages.push(
    (await refusalOf(client.adjustInventory({ petId: otherPetId, body: { quantityChange: -4n } }))).message,
  )
  expect(messages).toEqual([
    `Pet ${petId} has 1 unit in open orders.`,
    `Pet ${petId} is pending and cannot become sold: open orders reserve 1 unit; complete or cancel them first.`,
    `Pet ${petId} has 0 of 1 unit available; 1 is requested.`,
    `Pet ${otherPetId} would have 1 unit on hand, but open orders reserve 2.`,
  ])
})
