import { expect, test } from 'bun:test'
import { sharedStore } from '../support/shop.ts'
import { onEveryEngine } from '../support/store.ts'

const NAMES = [
  'Dackel braun',
  'Dackel schwarz',
  'Fackel',
  'Goldfisch',
  'Käthe (Golden Retriever)',
  'Kanarienvogel',
  '柴犬',
  'Nr. 4711',
]

onEveryEngine(engine => {
  const store = sharedStore(engine)
  const similarTo = async (search: string): Promise<string[]> => {
    const { data } = await store().client.listSimilarSearches({ search })
    return data.items.map(similar => similar.search)
  }

  test('a search that finds no pet has the closest words of names, as they are spelled', async () => {
    const { client } = store()
    const { data: category } = await client.createCategory({ body: { name: 'All' } })
    for (const name of NAMES) await client.createPet({ body: { name, categoryId: category.id } })
    const cases: [search: string, similar: string[]][] = [
      ['dakel', ['Dackel']],
      ['dackle', ['Dackel']],
      ['DAKCEL', ['Dackel']],
      ['kathhe', ['Käthe']],
      ['godlfisc', ['Goldfisch']],
      // The first letter is wrong, or one too many.
      ['packel', ['Dackel', 'Fackel']],
      ['jdackel', ['Dackel']],
      // The first word that no name has is replaced.
      ['dackel barun', ['dackel braun']],
      ['dakel barun', ['Dackel barun']],
      // Three edits, short words, numbers, and words that names have are not replaced.
      ['doggel', []],
      ['dk', []],
      ['4712', []],
      ['dackel retriever', []],
      ['dack', []],
      ['-', []],
    ]
    for (const [search, similar] of cases)
      expect([search, await similarTo(search)]).toEqual([search, similar])
  })

  test('at most three words are offered, those with the fewest edits first', async () => {
    const { client } = store()
    const { data: category } = await client.createCategory({ body: { name: 'Some' } })
    for (const name of ['Tigers', 'Tigera', 'Tigerin', 'Tigress'])
      await client.createPet({ body: { name, categoryId: category.id } })
    expect(await similarTo('tigerx')).toEqual(['Tigera', 'Tigers', 'Tigerin'])
  })
})
