import type { Command } from 'commander'
import { describe } from '../openapi/document.ts'
import { writeYaml } from '../openapi/yaml.ts'
import { print } from './terminal.ts'

/** Adds the command `openapi`, which prints the description of the service with all operations, as in openapi.yaml. */
export function addOpenapi(program: Command): void {
  program
    .command('openapi')
    .description('print the description of the service (OpenAPI 3.0.3), as YAML')
    .option('--json', 'print JSON instead of YAML')
    .option('--base-url <url>', 'the base URL in the description', 'http://127.0.0.1:8080')
    .action(async ({ json, baseUrl }: { json?: true; baseUrl: string }) => {
      const description = describe({ base: baseUrl.replace(/\/$/, ''), serves: () => true })
      await print(json ? `${JSON.stringify(description, null, 2)}\n` : writeYaml(description))
    })
}
