import type { Operation } from '../../contract/operation.ts'
import { idParameter } from '../../contract/parameter.ts'
import {
  AppliedSlice,
  ImportNameMatches,
  ImportNames,
  ImportPetMatches,
  ImportPetNames,
  ImportRows,
  ImportSlice,
  ImportTakeBack,
  PastImport,
  TakenBack,
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
  listImports: {
    method: 'GET',
    path: '/imports',
    tag: 'Service',
    summary: 'List the imports that can be taken back',
    scope: 'pets:write',
    hidden: true,
    success: { status: 200, list: PastImport, description: 'The newest 20 imports of the last 30 days.' },
  },
  takeBackImport: {
    ...shared,
    method: 'POST',
    path: '/imports/{importId}/take-back',
    summary: 'Take back the next changes of an import',
    body: ImportTakeBack,
    success: { status: 200, resource: TakenBack, description: 'What was taken back, and what stays.' },
  },
  discardImport: {
    ...shared,
    method: 'DELETE',
    path: '/imports/{importId}',
    summary: 'Discard the staged rows',
    success: { status: 204, description: 'The rows were discarded.' },
  },
} as const satisfies Record<string, Operation>
