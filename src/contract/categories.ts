import { z } from 'zod'
import { Category, CategoryPatch, NewCategory } from '../model/category.ts'
import type { Operation } from './operation.ts'
import { enumParameter, idParameter, paging, textParameter } from './parameter.ts'

const pathParameters = { categoryId: idParameter('The id of the category.') }

export const categories = {
  listCategories: {
    method: 'GET',
    path: '/categories',
    tag: 'Pets',
    summary: 'List categories',
    description: 'With `name` the list is sorted by name.',
    scope: 'public',
    stability: 'stable',
    reads: 'scan',
    query: {
      ...paging,
      name: textParameter(1, 200, 'Categories whose name begins so; upper and lower case are alike.', 'dog'),
      sort: enumParameter(z.enum(['id', '-id', 'name', '-name']), 'The order; a minus turns it round.'),
    },
    success: { status: 200, list: Category, description: 'A page of categories.' },
    errors: ['invalid_cursor'],
  },
  createCategory: {
    method: 'POST',
    path: '/categories',
    tag: 'Pets',
    summary: 'Create a category',
    scope: 'pets:write',
    stability: 'stable',
    body: NewCategory,
    success: { status: 201, resource: Category, description: 'The category.' },
    location: (category: Category) => `/categories/${category.id}`,
    etag: true,
    errors: [],
  },
  getCategory: {
    method: 'GET',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    summary: 'Read a category',
    scope: 'public',
    stability: 'stable',
    reads: 'row',
    pathParameters,
    success: { status: 200, resource: Category, description: 'The category.' },
    etag: true,
    errors: ['category_not_found'],
  },
  updateCategory: {
    method: 'PATCH',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    summary: 'Change a category',
    description: 'A JSON Merge Patch; a null description removes it.',
    scope: 'pets:write',
    stability: 'stable',
    pathParameters,
    body: CategoryPatch,
    success: { status: 200, resource: Category, description: 'The category after the change.' },
    etag: true,
    errors: ['category_not_found'],
  },
  deleteCategory: {
    method: 'DELETE',
    path: '/categories/{categoryId}',
    tag: 'Pets',
    summary: 'Delete a category',
    scope: 'pets:write',
    stability: 'stable',
    pathParameters,
    success: { status: 204, description: 'The category is gone.' },
    etag: true,
    errors: ['category_not_found', 'category_in_use'],
  },
} as const satisfies Record<string, Operation>
