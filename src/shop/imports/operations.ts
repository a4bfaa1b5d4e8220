import type { Operation } from '../../contract/operation.ts'
import { idParameter } from '../../contract/parameter.ts'
import {
  AppliedImport,
  AppliedSlice,
  ApplyOptions,
  ImportNameMatches,
  ImportNames,
  ImportPetMatches,
  ImportPetNames,
  ImportRows,
  ImportSlice,
} from './schema.ts'

const shared = {
  tag: 'Service',
  scope: 'pets:write',
  hidden: true,
  isSlow: true,
  pathParameters: { importId: idParameter('A number that the importer chooses.') },
} as const

export const imports = {
  stageImport: {
    ...shared,
    method: 'POST',
    path: '/imports/{importId}/rows',
    summary: 'Stage rows of an import',
    body: ImportRows,
    success: { status: 204, description: 'The rows were staged.' },
  },
  applyImport: {
    ...shared,
    method: 'POST',
    path: '/imports/{importId}/apply',
    summary: 'Load the staged rows in one transaction',
    body: ApplyOptions,
    success: {
      status: 200,
      resource: AppliedImport,
      description: 'What was loaded (in a dry run: what would be), and the first rows that cannot be loaded.',
    },
  },
  findImportCategories: {
    ...shared,
    method: 'POST',
    path: '/imports/{importId}/categories',
    summary: 'Find the categories that each of these names may mean',
    body: ImportNames,
    success: { status: 200, resource: ImportNameMatches, description: 'The categories.' },
  },
  findImportPets: {
    ...shared,
    method: 'POST',
    path: '/imports/{importId}/pets',
    summary: 'Find the pets that exist, by their name and the name of their category',
    body: ImportPetNames,
    success: { status: 200, resource: ImportPetMatches, description: 'Whether each pet was found.' },
  },
  loadImportSlice: {
    ...shared,
    method: 'POST',
    path: '/imports/{importId}/slices',
    summary: 'Load the next staged rows, and delete them from the staged rows',
    body: ImportSlice,
    success: { status: 200, resource: AppliedSlice, description: 'What was loaded.' },
  },
  discardImport: {
    ...shared,
    method: 'DELETE',
    path: '/imports/{importId}',
    summary: 'Discard the staged rows',
    success: { status: 204, description: 'The rows were discarded.' },
  },
} as const satisfies Record<string, Operation>
