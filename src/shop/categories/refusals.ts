import { StoreError } from '../../contract/error.ts'

export function categoryNotFound(categoryId: bigint): StoreError {
  return new StoreError('category_not_found', `Category ${categoryId} does not exist.`, {
    subject: `categories/${categoryId}`,
  })
}

export function categoryInUse(categoryId: bigint): StoreError {
  return new StoreError('category_in_use', `Category ${categoryId} still contains pets.`, {
    subject: `categories/${categoryId}`,
  })
}
