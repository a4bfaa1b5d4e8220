import { type Command, Option } from 'commander'
import { describeIn, type OpenapiVersion, openapiVersions } from '../../openapi/renderings.ts'
import type { Part } from '../../openapi/schemas.ts'
import { storeApi } from '../../openapi/store-api.ts'
import { writeYaml } from '../../openapi/yaml.ts'
import { configFrom } from '../store-access/store-config.ts'
import { print } from '../terminal/terminal.ts'

const BASE = 'http://127.0.0.1:8080'

interface OpenapiOptions {
  readonly json?: true
  readonly format: OpenapiVersion
  readonly sandboxes?: true
  readonly baseUrl?: string
}

/** Adds the command `openapi`, which prints the description of the service: all operations, like openapi.yaml. */
export function addOpenapi(program: Command): void {
  program
    .command('openapi')
    .description('print the description of the service (OpenAPI 3.0.3), as YAML')
    .addOption(new Option('--format <version>', 'version of OpenAPI').choices(openapiVersions).default('3.0'))
    .option('--json', 'print JSON instead of YAML')
    .option('--sandboxes', 'print the description of a host of sandboxes, as in openapi-sandboxes.yaml')
    .option('--base-url <url>', `the base URL in the description (default: ${BASE})`)
    .action(async ({ json, format, sandboxes, baseUrl }: OpenapiOptions) => {
      const base = baseUrl === undefined ? undefined : configFrom({ baseUrl }).baseUrl
      const description = sandboxes
        ? await describeSandboxes(format, base)
        : describeIn(format, storeApi, { base: base ?? BASE })
      await print(json ? `${JSON.stringify(description, null, 2)}\n` : writeYaml(description))
    })
}

/** Returns the description of a host of sandboxes. Imports the modules on demand: other commands do not need them. */
async function describeSandboxes(format: OpenapiVersion, base: string | undefined): Promise<Part> {
  const { DESCRIBED_BASE, hostApi } = await import('../../sandboxes/host-api/description.ts')
  return describeIn(format, hostApi, { base: base ?? DESCRIBED_BASE })
}
