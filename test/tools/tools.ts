import type { Operation } from '../../src/contract/operation.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import type { Tool } from './tool.ts'

/** The number of operations in the description. Newman does not count the stream, which has no end. */
const DESCRIBED = Object.values<Operation>(contract).filter(({ hidden }) => !hidden).length

/** Returns a command on several lines. */
const lines = (...parts: string[]): string => parts.join(' \\\n  ')
const npm = (packages: string): string => `npm init -y && npm install -E ${packages}`
const pip = (packages: string): string => `python3 -m venv venv && venv/bin/pip -q install ${packages}`
/** Some tools need a later Node than others: the package `node` has it. */
const NODE = 'node@24.21.0'
const GO_MODULE = 'github.com/rest-sh/restish'
/** Postman's converter of descriptions, and its runner. */
const NEWMAN = 'openapi-to-postmanv2@6.3.3 newman@6.2.2'
const PROXY = 'http://127.0.0.1:$PORT'

const testers: readonly Omit<Tool, 'isTester'>[] = [
  {
    name: 'Schemathesis',
    version: '4.32.5',
    needs: ['python3'],
    install: pip('schemathesis==4.32.5'),
    run: lines(
      'PYTHONPATH=$TOOLS SCHEMATHESIS_HOOKS=schemathesis_hooks venv/bin/st run $BASE/openapi.json',
      '-H "Authorization: Bearer $KEY" --exclude-operation-id streamEvents --exclude-operation-id listEvents',
      '--exclude-operation-id revokeKey --exclude-checks positive_data_acceptance --max-examples 5',
      '--generation-deterministic --report-junit-path $FINDINGS',
    ),
    expected: '… generated, … passed, … skipped',
    tests: 'makes tests',
  },
  {
    name: 'Specmatic',
    version: '2.55.1',
    needs: ['java', 'npm'],
    install: npm('specmatic@2.55.1'),
    run: [
      'grep -v "parameters/\\(IfMatchHeader\\|IfNoneMatchHeader\\|PageCursor\\)" openapi.yaml > plain.yaml',
      lines(
        'key=$KEY java -jar node_modules/specmatic/specmatic.jar test plain.yaml --testBaseURL=$BASE',
        `--filter "METHOD='GET' && STATUS='200' && PATH='/errors,/keys,/keys/current,/webhooks'"`,
        '--junitReportDir=junit || true',
      ),
      'mv junit/*.xml $FINDINGS',
    ].join('\n'),
    expected: 'Tests run: …, Failures: 0, WIP: 0, Errors: 0',
    tests: 'makes tests',
  },
  {
    name: 'Dredd',
    version: '14.1.0',
    needs: ['npm'],
    install: npm('dredd@14.1.0'),
    run: lines(
      // Dredd would take seconds to skip the errors, for which it sends the same requests.
      `sed '/^        "[45]..":$/{N;/components.responses/d}' openapi.yaml > successes.yaml &&`,
      'npx dredd successes.yaml $BASE --header "Authorization: Bearer $KEY"',
      '--hookfiles $TOOLS/dredd-hooks.cjs --loglevel error --reporter xunit --output $FINDINGS',
    ),
    expected: `complete: ${DESCRIBED} passing, 0 failing, 0 errors, …`,
    tests: 'sends the examples',
  },
  {
    name: 'Prism as a proxy',
    version: '5.14.2',
    needs: ['npm', 'curl'],
    install: npm(`@stoplight/prism-cli@5.14.2 ${NEWMAN}`),
    run: [
      'npx prism proxy openapi.yaml $BASE --errors --port $PORT > prism.log 2>&1 &',
      `curl -s -o pets.json --retry 30 --retry-delay 1 --retry-connrefused ${PROXY}/pets`,
      runDescription(PROXY),
    ].join('\n'),
    expected: String(DESCRIBED - 1),
  },
  {
    name: 'newman',
    version: '6.2.2',
    needs: ['npm'],
    install: npm(NEWMAN),
    run: runDescription('$BASE'),
    expected: String(DESCRIBED - 1),
  },
  {
    name: 'Portman',
    version: '1.33.0',
    needs: ['npm'],
    install: [
      // Portman does not list tslib among its packages.
      npm('@apideck/portman@1.33.0 newman@6.2.2 tslib@2.8.1'),
      `echo '{"operationIds":["streamEvents"]}' > without.json`,
      'npx portman -l openapi.yaml -o portman.json --filterFile without.json',
    ].join(' && '),
    run: lines(
      'npx newman run portman.json --env-var baseUrl=$BASE --env-var bearerToken=$KEY',
      '--reporters cli,junit --reporter-junit-export $FINDINGS',
    ),
    expected: '│ … assertions │ … 0 │',
    tests: 'sends the examples',
  },
  {
    name: 'openapi-core',
    version: '0.23.1',
    needs: ['python3'],
    install: pip('openapi-core==0.23.1 requests==2.34.2'),
    run: 'venv/bin/python $TOOLS/validate_examples.py',
    expected: '… responses, 0 findings',
    tests: 'runs files of ours',
  },
  {
    name: 'Tavern',
    version: '3.7.1',
    needs: ['python3'],
    install: pip('tavern==3.7.1 pytest==9.0.2'),
    run: 'venv/bin/pytest -p no:cacheprovider $TOOLS/test_petstore.tavern.yaml --junitxml=$FINDINGS',
    expected: '…3 passed…',
    tests: 'runs files of ours',
  },
  {
    name: 'The fuzzer of this project',
    version: '',
    needs: ['bun'],
    install: '',
    run: 'bun $TOOLS/../openapi/fuzz/bench-tool.ts',
    expected: '0 findings',
    tests: 'makes tests',
  },
  {
    name: 'Redocly respect',
    version: '2.77.0',
    needs: ['npm'],
    install: npm('@redocly/cli@2.77.0'),
    run: [
      'npx redocly respect arazzo.yaml --server petstore=$BASE --input "{\\"key\\":\\"$KEY\\"}" -J report.json || true',
      'node $TOOLS/respect-findings.mjs report.json',
    ].join('\n'),
    expected: 'Workflows: 4 passed, 4 total',
    tests: 'runs files of ours',
  },
  {
    name: 'k6',
    version: 'installed',
    needs: ['k6'],
    install: '',
    run: 'k6 run -e BASE=$BASE -e KEY=$KEY $TOOLS/k6.js',
    expected: 'checks…100.00%…',
  },
  {
    name: 'restish',
    version: '0.21.2',
    needs: ['go'],
    // `go install` with a version also requests the list of all versions from the module proxy.
    install: lines(
      'mkdir module && cp $TOOLS/restish.go module/tools.go && cd module && go mod init module &&',
      `go mod edit -require=${GO_MODULE}@v0.21.2 && go mod tidy && go build -o ../restish ${GO_MODULE}`,
    ),
    run: [
      'mkdir -p .config/restish && export HOME=$PWD',
      `echo '{"petstore":{"base":"'$BASE'","spec_files":["'$BASE'/openapi.json"],`,
      `"profiles":{"default":{"headers":{"Authorization":"Bearer '$KEY'"}}}}}' > .config/restish/apis.json`,
      './restish petstore place-order petId: 3, complete: true -f body.complete',
    ].join('\n'),
    expected: 'true',
  },
  {
    name: 'Karate',
    version: '1.5.1',
    needs: ['java', 'mvn'],
    install: 'mvn -q -B -f $TOOLS/karate/pom.xml dependency:copy-dependencies -DoutputDirectory=$PWD/lib',
    run: "java -Dbase=$BASE -Dkey=$KEY -cp 'lib/*' com.intuit.karate.Main $TOOLS/karate/petstore.feature",
    expected: 'scenarios: … 1 | passed: … 1 | failed: … 0 | time: …',
  },
]

const readers: readonly Omit<Tool, 'isTester'>[] = [
  {
    name: 'jsonschema for Python',
    version: '4.26.0',
    needs: ['python3'],
    install: pip('jsonschema==4.26.0'),
    run: 'venv/bin/python $TOOLS/json_schemas.py',
    expected: '8 responses are valid; 8 with a wrong member are not',
  },
  {
    name: 'AsyncAPI CLI',
    version: '6.2.0',
    needs: ['npm', 'curl'],
    install: npm(`@asyncapi/cli@6.2.0 ${NODE} typescript@5.9.3`),
    run: [
      'export ASYNCAPI_METRICS=false',
      'curl -s -o asyncapi.yaml $BASE/asyncapi.yaml && npx asyncapi validate asyncapi.yaml',
      'npx asyncapi generate models typescript asyncapi.yaml --tsModelType interface --tsExportType named -o models',
      'npx tsc --noEmit models/*Event.ts && echo the models compile',
    ].join('\n'),
    expected: 'the models compile',
  },
  {
    name: 'MCP client for Python',
    version: '2.3.0',
    needs: ['python3'],
    install: pip('mcp==2.3.0'),
    run: 'PETSTORE_URL=$BASE PETSTORE_KEY=$KEY venv/bin/python $TOOLS/mcp-client.py $PETSTORE',
    expected: 'ok',
  },
  {
    name: 'MCP inspector',
    version: '2.12.0',
    needs: ['npm'],
    install: npm(`@modelcontextprotocol/inspector@2.12.0 ${NODE}`),
    run: lines(
      'npx mcp-inspector --cli $BASE/mcp --transport http --header "Authorization: Bearer $KEY"',
      '--method tools/call --tool-name place_order --tool-arg petId=4 --tool-arg complete=true',
    ),
    expected: '"complete": true',
  },
]

/** Returns the command that sends each request of the description once, and counts the responses with 2xx. */
function runDescription(base: string): string {
  return [
    'npx openapi2postmanv2 -s openapi.yaml -o postman.json -O parametersResolution=Example > converted.log',
    `npx newman run postman.json --env-var baseUrl=${base} --env-var bearerToken=$KEY | grep -c '\\[2'`,
  ].join('\n')
}

/** The tools that `npm run check:tools` runs: first the testers. */
export const tools: readonly Tool[] = [
  ...testers.map(tool => ({ ...tool, isTester: true })),
  ...readers.map(tool => ({ ...tool, isTester: false })),
]
