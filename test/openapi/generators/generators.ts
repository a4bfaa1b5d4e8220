import type { Generator } from './generator.ts'
import { npmGenerators } from './npm-generators.ts'

const OPENAPI_GENERATOR = '7.24.0'
const SWAGGER_CODEGEN = '3.0.57'
const copyJar = 'mvn -q org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy'
const artifact = `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`
/** Fetches the program of every openapi-generator. */
export const openapiGeneratorJar = `${copyJar} -Dartifact=${artifact} -DoutputDirectory=.`

function openapiGenerator(
  name: string,
  options: string,
  {
    before,
    ...rest
  }: Pick<Generator, 'compile' | 'run' | 'needs' | 'code'> & {
    before?: string
    description?: string
    install?: string
  },
): Generator {
  return {
    name: `openapi-generator ${name}`,
    version: OPENAPI_GENERATOR,
    generate: [
      ...(before ? [before] : []),
      `java -jar openapi-generator-cli-${OPENAPI_GENERATOR}.jar generate -i openapi.yaml ${options} -o client`,
    ].join(' && '),
    ...rest,
    needs: ['java', 'mvn', ...rest.needs],
    install: rest.install ? `${openapiGeneratorJar} && ${rest.install}` : openapiGeneratorJar,
  }
}

// The specification fixes the names NewPet and NewCategory. In Go, models with these names collide with constructors.
const goNames = ['Pet', 'Category', 'Order', 'ApiKey', 'Webhook']
  .map(noun => `New${noun}=${noun}Draft`)
  .join()
const goProperties =
  'enumClassPrefix=true,disallowAdditionalPropertiesIfNotPresent=false,useOneOfDiscriminatorLookup=true'
const javaRun =
  'java -cp client/target/classes:client/target/dependency/*:. Program "$BASE" "$KEY" "$SAMPLES"'
const javaCompile = [
  '(cd client && mvn -q -Dmaven.test.skip=true compile dependency:copy-dependencies -DincludeScope=runtime)',
  "javac -cp 'client/target/classes:client/target/dependency/*' -d . $PROGRAM/Program.java",
].join(' && ')
// Two generators cannot decode an event by its discriminator: see their descriptions.
const WITHOUT_DISCRIMINATOR =
  "sed -i '/^      discriminator:$/,/^      [^ ]/{/^       /d;/discriminator:$/d}' openapi.yaml"
// swagger-codegen uses an annotation that Java 11 lacks, without its library in pom.xml.
const annotations =
  '<groupId>javax.annotation</groupId><artifactId>javax.annotation-api</artifactId><version>1.3.2</version>'
const swaggerOptions = '-l java --additional-properties dateLibrary=java8'
const lastDependency = `<dependency>${annotations}</dependency></dependencies>`
const WITH_ANNOTATIONS = `sed -i 's|</dependencies>|${lastDependency}|' client/pom.xml`
const goRun = './program/program "$BASE" "$KEY" "$SAMPLES"'
const goBuild = 'go mod tidy && go build -o program .'

/** Every generator with which the description is tested; those from npm are last. */
export const generators: readonly Generator[] = [
  {
    name: 'ogen',
    version: '1.24.0',
    needs: ['go'],
    // ogen is built in a module that requires it, because `go run` with a version also requests the list of all
    // versions from the module proxy.
    install:
      'mkdir -p program && cp $PROGRAM/tools.go program && cd program && go mod init program && go mod edit -require=github.com/ogen-go/ogen@v1.24.0 && go mod tidy && go build -o ../ogen github.com/ogen-go/ogen/cmd/ogen',
    generate: './ogen --target program/api --package api --clean openapi.yaml',
    compile: `cp $PROGRAM/main.go program && cd program && ${goBuild}`,
    run: goRun,
    code: 'program/api',
  },
  {
    name: 'oapi-codegen',
    version: '2.8.2',
    needs: ['go'],
    install: 'GOBIN=$PWD go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
    generate:
      'mkdir -p program/petstore && ./oapi-codegen -generate types,client -package petstore -o program/petstore/petstore.go openapi.yaml',
    compile: [
      'cp $PROGRAM/main.go program',
      'cd program',
      'go mod init program',
      'go mod edit -require=github.com/oapi-codegen/runtime@v1.6.0',
      goBuild,
    ].join(' && '),
    run: goRun,
    code: 'program/petstore',
  },
  openapiGenerator('go', `-g go --additional-properties=${goProperties} --model-name-mappings ${goNames}`, {
    needs: ['go'],
    compile: [
      'mkdir -p program',
      'cp $PROGRAM/main.go program',
      'cd program',
      'go mod init program',
      'go mod edit -replace=github.com/GIT_USER_ID/GIT_REPO_ID=../client',
      '(cd ../client',
      'go mod tidy)',
      goBuild,
    ].join(' && '),
    run: goRun,
    code: 'client',
    description:
      'The mappings rename models that have the names of constructors. With `--additional-properties`, the client accepts unknown members, and decodes an event by its type.',
  }),
  openapiGenerator('python', '-g python --additional-properties=packageName=petstore', {
    needs: ['python3'],
    install:
      'python3 -m venv venv && venv/bin/pip -q install pydantic==2.12.0 python-dateutil==2.9.0.post0 urllib3==2.5.0 typing-extensions==4.15.0',
    compile: 'venv/bin/python -m compileall -q client/petstore',
    run: 'PYTHONPATH=client venv/bin/python $PROGRAM/program.py "$BASE" "$KEY" "$SAMPLES"',
    code: 'client/petstore',
  }),
  openapiGenerator('java-native', '-g java --library native', {
    needs: ['javac'],
    compile: javaCompile,
    run: javaRun,
    code: 'client/src/main',
  }),
  openapiGenerator('java-okhttp', '-g java --library okhttp-gson', {
    needs: ['javac'],
    compile: javaCompile,
    run: javaRun,
    code: 'client/src/main',
    description:
      'Without `--additional-properties=disallowAdditionalPropertiesIfNotPresent=false`, unknown members are errors.',
  }),
  openapiGenerator('typescript-fetch', '-g typescript-fetch', {
    needs: ['npm', 'node'],
    install: 'npm init -y && npm install -E typescript@5.9.3 @types/node@20.19.0',
    compile:
      'cp $PROGRAM/program.ts $PROGRAM/../session.ts . && npx tsc --strict --noEmit --module preserve --target esnext --lib esnext,dom,dom.iterable --skipLibCheck program.ts',
    run: '"$BUN" program.ts "$BASE" "$KEY" "$SAMPLES"',
    code: 'client',
  }),
  openapiGenerator('rust', '-g rust', {
    before: WITHOUT_DISCRIMINATOR,
    needs: ['cargo'],
    compile:
      'mkdir -p program && cp -r $PROGRAM/Cargo.toml $PROGRAM/src program && cd program && cargo build -q --target-dir target',
    run: 'program/target/debug/program "$BASE" "$KEY" "$SAMPLES"',
    code: 'client/src',
    description: 'With discriminators, no event can be decoded.',
  }),
  openapiGenerator(
    'kotlin',
    '-g kotlin --library jvm-retrofit2 --additional-properties=serializationLibrary=gson,generateOneOfAnyOfWrappers=true',
    {
      needs: ['javac'],
      compile:
        'mkdir -p program && cp $PROGRAM/Program.kt program && cp $PROGRAM/pom.xml . && mvn -q compile dependency:copy-dependencies -DincludeScope=runtime',
      run: 'java -cp "target/classes:target/dependency/*" ProgramKt "$BASE" "$KEY" "$SAMPLES"',
      code: 'client/src/main',
      description: '`Event` is a class that decodes events by the value of `type`.',
    },
  ),
  {
    name: 'swagger-codegen java',
    version: SWAGGER_CODEGEN,
    needs: ['java', 'javac', 'mvn'],
    install: `${copyJar} -Dartifact=io.swagger.codegen.v3:swagger-codegen-cli:${SWAGGER_CODEGEN} -DoutputDirectory=.`,
    generate: [
      WITHOUT_DISCRIMINATOR,
      `java -jar swagger-codegen-cli-${SWAGGER_CODEGEN}.jar generate -i openapi.yaml ${swaggerOptions} -o client`,
      WITH_ANNOTATIONS,
    ].join(' && '),
    compile: javaCompile,
    run: javaRun,
    code: 'client/src/main',
    description:
      'With discriminators, the output does not compile. `Event` is an empty interface: register the class for each `type` with Gson. The second `sed` adds a dependency that Java 11 and later need.',
  },
  {
    name: 'progenitor',
    version: '0.15.1',
    needs: ['cargo'],
    install: 'cargo install --debug --locked -q cargo-progenitor --version 0.15.1 --root .',
    generate: 'bin/cargo-progenitor progenitor -i openapi.yaml -o client -n petstore-client -v 1.0.0',
    compile:
      'mkdir -p program && cp -r $PROGRAM/Cargo.toml $PROGRAM/src program && cd program && cargo build -q --target-dir target',
    run: 'program/target/debug/program "$BASE" "$KEY" "$SAMPLES"',
    code: 'client/src',
  },
  {
    name: 'openapi-python-client',
    version: '0.29.1',
    needs: ['python3'],
    install: 'python3 -m venv venv && venv/bin/pip -q install openapi-python-client==0.29.1',
    generate: 'venv/bin/openapi-python-client generate --path openapi.yaml --output-path client',
    compile: 'venv/bin/python -m compileall -q client/petstore_client',
    run: 'PYTHONPATH=client venv/bin/python $PROGRAM/program.py "$BASE" "$KEY" "$SAMPLES"',
    code: 'client/petstore_client',
  },
  {
    name: 'Postman',
    version: '6.3.3',
    needs: ['npm', 'node'],
    install: 'npm init -y && npm install -E openapi-to-postmanv2@6.3.3',
    generate: 'npx openapi2postmanv2 -s openapi.yaml -o collection.json -O parametersResolution=Example',
    compile: 'true',
    run: '"$BUN" $PROGRAM/../postman.ts collection.json',
    code: 'collection.json',
    expected: ['every request of the collection succeeded'],
    description:
      'Sent once from top to bottom to a new demo store, every request succeeds; before `redeliver`, wait for the first attempt. Set the variables `baseUrl` and `bearerToken`.',
  },
  {
    name: 'Bruno',
    version: '0.23.0',
    needs: ['npm', 'node'],
    install: 'npm init -y && npm install -E @usebruno/converters@0.23.0',
    generate: [
      `node -e "const { openApiToBruno } = require('@usebruno/converters'), fs = require('fs')`,
      `fs.writeFileSync('collection.json', JSON.stringify(openApiToBruno(fs.readFileSync('openapi.yaml', 'utf8'))))"`,
    ].join('; '),
    compile: 'true',
    run: '"$BUN" $PROGRAM/../bruno.ts collection.json',
    code: 'collection.json',
    expected: ['every request of the collection succeeded'],
    description:
      'In Bruno, import `openapi.yaml` itself, grouped by tag: grouped by path, the webhook is deleted too early. Set the variables `baseUrl` and `token`.',
  },
  ...npmGenerators,
]
