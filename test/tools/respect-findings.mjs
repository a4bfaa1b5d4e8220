// Writes each failed check in the report of Redocly respect as a finding.
import { readFileSync, writeFileSync } from 'node:fs'

const { files } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const steps = Object.values(files)
  .flatMap(file => file.executedWorkflows)
  .flatMap(workflow => workflow.executedSteps)
const findings = steps.flatMap(({ request, response, checks = [] }) =>
  checks
    .filter(({ passed }) => !passed)
    .map(({ name, message }) => ({
      message: `${name}: ${message}`,
      method: request?.method?.toUpperCase(),
      path: request?.url,
      status: response?.statusCode,
      requestId: response?.headers['x-request-id'],
    })),
)
writeFileSync(process.env.FINDINGS, JSON.stringify(findings))
