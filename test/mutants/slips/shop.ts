import type { Slips } from '../slip.ts'

export const shopSlips: Slips = {
  'src/shop/pets.ts': [
    {
      before: `if (quantity === 0n) throw refuse(RESTOCK)`,
      after: `if (quantity < 0n) throw refuse(RESTOCK)`,
      breaks: 'a pet without stock can be set to available',
      tests: ['test/api/status-model.test.ts', 'test/api/stock-rules.test.ts'],
    },
  ],
}
