import type { Generator } from './generator.ts'

const TYPESCRIPT = 'typescript@5.9.3'
const STRICT =
  '--strict --noEmit --module preserve --target esnext --lib esnext,dom,dom.iterable --skipLibCheck'
const compile = `cp $PROGRAM/program.ts $PROGRAM/../session.ts . && npx tsc ${STRICT} program.ts`
const run = '"$BUN" program.ts "$BASE" "$KEY" "$SAMPLES"'

function npmGenerator(given: {
  name: string
  version: string
  packages?: string
  generate: string
  code: string
  description?: string
}): Generator {
  const { name, version, packages = '', generate, code, description = '' } = given
  const install = `npm init -y && npm install -E ${name}@${version} ${TYPESCRIPT} @types/node@20.19.0 ${packages}`
  // The programs read their samples from files, so they need the types of Node to compile.
  return { name, version, needs: ['npm', 'node'], install, generate, compile, run, code, description }
}

/** The generators of TypeScript from npm. They also run in `npm test`. */
export const npmGenerators: readonly Generator[] = [
  npmGenerator({
    name: 'openapi-typescript',
    version: '7.13.0',
    packages: 'openapi-fetch@0.17.0',
    generate: 'npx openapi-typescript openapi.yaml --default-non-nullable=false -o types.ts',
    code: 'types.ts',
    description: 'With openapi-fetch. Without the option, members with a default are required in a request.',
  }),
  npmGenerator({
    name: '@hey-api/openapi-ts',
    version: '0.95.0',
    generate: 'npx openapi-ts -i openapi.yaml -o sdk',
    code: 'sdk',
  }),
  npmGenerator({
    name: 'swagger-typescript-api',
    version: '13.13.0',
    generate: 'npx swagger-typescript-api generate -p openapi.yaml -o . -n petstore.ts',
    code: 'petstore.ts',
  }),
  npmGenerator({
    name: 'orval',
    version: '8.33.0',
    generate: 'npx orval --input openapi.yaml --output petstore.ts --client fetch',
    code: 'petstore.ts',
  }),
]
