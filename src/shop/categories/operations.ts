import { z } from 'zod'
import { linksBy, type Operation, pagingOfAgents } from '../../contract/operation.ts'
import { idParameter, paging, sortParameter, textParameter } from '../../contract/parameter.ts'
import { invalidCursor } from '../../contract/refusals.ts'
import { categoryInUse, categoryNotFound } from './refusals.ts'
import { Category, CategoryPatch, NewCategory } from './schema.ts'

const pathParameters = { categoryId: idParameter('The id of the category.', 1) }

export const categories = {
  listCategories: {
    method: 'GET',
    path: '/categories',
    tag: 'Pets',
    summary: 'List categories',
    description: 'With `name`, the list can only be sorted by `name` (the default) or `-name`.',
    scope: 'public',
    query: {
      ...paging,
      name: textParameter(1, 200, 'Categories whose name starts with this text; case is ignored.', 'dog'),
      sort: sortParameter(
        'CategorySort',
        z.enum(['id', '-id', 'name', '-name']),
        'name',
        'The sort order; a leading minus reverses it.',
      ),
    },
    success: { status: 200, list: Category, description: 'A page of categories.' },
    errors: [invalidCursor()],
    represents: { table: 'category' },
    agent: {
      name: 'find_categories',
      about: 'List the categories of pets, or find one by name.',
      takes: { name: 'The start of the name; case is ignored.', ...pagingOfAgents },
    },
    isShort: () => true,
  },
  createCategory: {
    method: 'POST',
    path: '/categories',
    tag: 'Pets',
    summary: 'Create a category',
    description: 'Category names do not have to be unique.',
    scope: 'pets:write',
    body: NewCategory,
    success: {
      status: 201,
      resource: Category,
      description: 'The category.',
      example: { id: 17, name: 'Ferrets', description: 'Hobs and jills, handled daily.' },
    },
    location: '/categories/{id}',
    resourceHasEtag: true,
    links: linksBy('categoryId', '$response.body#/id', {
      read: ['getCategory', 'Read the category.'],
      update: ['updateCategory', 'Change the category.'],
      delete: ['deleteCategory', 'Delete the category.'],
    }),
  },
  getCategory: {
    method: 'GET',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    summary: 'Read a category',
    description: 'Send the ETag of the response in If-Match to change or delete the category conditionally.',
    scope: 'public',
    pathParameters,
    success: { status: 200, resource: Category, description: 'The category.' },
    resourceHasEtag: true,
    errors: [categoryNotFound(404n)],
    represents: { table: 'category', rowId: 'categoryId' },
  },
  updateCategory: {
    method: 'PATCH',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    summary: 'Change a category',
    description: 'A JSON Merge Patch. `description: null` removes the description.',
    scope: 'pets:write',
    pathParameters,
    body: CategoryPatch,
    success: {
      status: 200,
      resource: Category,
      description: 'The category after the change.',
      example: { id: 1, name: 'Dogs' },
    },
    resourceHasEtag: true,
    errors: [categoryNotFound(404n)],
  },
  deleteCategory: {
    method: 'DELETE',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    summary: 'Delete a category',
    description: 'The category must be empty: move or delete its pets first.',
    scope: 'pets:write',
    pathParameters: { categoryId: idParameter('The id of the category.', 17) },
    success: { status: 204, description: 'The category was deleted.' },
    resourceHasEtag: true,
    errors: [categoryNotFound(404n), categoryInUse(1n)],
  },
} as const satisfies Record<string, Operation>
