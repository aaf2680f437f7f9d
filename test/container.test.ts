/** Checks the text of Dockerfile and compose.yaml; test/e2e/container.test.ts runs them. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { version } from '../package.json'
import { parseArguments } from '../src/cli/arguments.ts'
import { loadCommands } from '../src/cli/commands/all.ts'
import { memorySettings, memoryVariable } from '../src/config/memory-setting.ts'
import { variables } from '../src/config/load.ts'
import { dockerfileFindings, execForm, parseDockerfile } from './support/dockerfile.ts'

const commands = await loadCommands()

const read = (name: string) => readFileSync(join(import.meta.dir, '..', name), 'utf8')
const dockerfile = read('Dockerfile')
const compose = parse(read('compose.yaml'), { merge: true })
const instructions = parseDockerfile(dockerfile)
const restOf = (name: string) => instructions.filter((it) => it.name === name).map((it) => it.rest)

/** Checks that this change of the Dockerfile is reported as this fault. */
function check(from: string, to: string, expected: string): void {
  expect(dockerfile).toContain(from)
  expect(dockerfileFindings(dockerfile.replace(from, to)).join('\n')).toContain(expected)
}

test('finds no fault in the Dockerfile, and finds each kind of fault in a changed copy', () => {
  expect(dockerfileFindings(dockerfile)).toEqual([])
  check('USER 65532:65532', 'USER root', 'a user by number, not root')
  check('USER 65532:65532', '', 'one USER')
  check('FROM scratch', 'FROM debian:latest', 'a base with its version')
  check('FROM scratch', 'FROM debian', 'a base with its version')
  check('CMD ["memory", "serve"]', 'CMD og memory serve', 'CMD as a list')
  check('    CMD ["/usr', '    CMD og "/usr', 'HEALTHCHECK as a list')
  check('COPY dist', 'ADD dist', 'no ADD')
  check('COPY --chown', 'COPY --from=other --chown', 'no other')
  check('OG_CACHE_DIR=', 'GROUNDMEMORY_MCP__API_KEY=x OG_CACHE_DIR=', 'a secret in the image')
  check('WORKDIR /data', 'RUN apt-get install x', 'a build that needs the network')
})

const known = new Set([
  'HOME',
  ...memorySettings.map(({ key }) => memoryVariable(key)),
  ...variables.map(({ name }) => name),
])

test('sets only variables that og reads', () => {
  const set = restOf('ENV').flatMap((rest) => rest.split(/\s+/).map((pair) => pair.split('=')[0]!))
  const services = Object.values<{ environment: object }>(compose.services)
  const named = [...set, ...services.flatMap(({ environment }) => Object.keys(environment))]
  expect(named.filter((name) => !known.has(name))).toEqual([])
  expect(set).toContain('GROUNDMEMORY_ROOT_DIR')
})

test('runs an og command, and checks its health with og', () => {
  const [entrypoint] = restOf('ENTRYPOINT').map(execForm)
  const [cmd] = restOf('CMD').map(execForm)
  const [health] = restOf('HEALTHCHECK').map((rest) => execForm(rest))
  expect(entrypoint).toEqual(['/usr/local/bin/og'])
  expect(health![0]).toBe(entrypoint![0]!)
  const command = commands.find(({ name }) => name === cmd!.join(' '))!
  expect(parseArguments(command, health!.slice(3))).toMatchObject({ health: true })
})

test('compose stores data in volumes, requires a token, and listens only on this machine', () => {
  const { memory, docs } = compose.services
  const [[folder]] = restOf('VOLUME').map(execForm) as [string[]]
  const ports = restOf('EXPOSE')[0]!.split(' ')
  for (const [name, service] of Object.entries<any>({ docs, memory })) {
    expect(service.volumes).toEqual([`${name}:${folder}`])
    expect(service.ports).toEqual([`127.0.0.1:${ports[0]}:${ports.shift()}`])
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] })
    expect(service.image).toBe(`og:${version}`)
  }
  expect(Object.keys(compose.volumes)).toEqual(['memory', 'docs'])
  expect(memory.environment.GROUNDMEMORY_MCP__API_KEY).toMatch(/^\$\{OG_TOKEN:\?/)
  expect(docs.environment.OG_SERVE_TOKEN).toMatch(/^\$\{OG_TOKEN:\?/)
  expect(memory.environment.GROUNDMEMORY_MCP__WORKSPACES.split(',')).toHaveLength(2)
  const serve = commands.find(({ name }) => name === 'serve')!
  expect(parseArguments(serve, docs.command.slice(1))).toMatchObject({ host: '0.0.0.0' })
  expect(parseArguments(serve, docs.healthcheck.test.slice(3))).toMatchObject({ health: true })
})

test('the build sees only the files that `npm run image` prepares', () => {
  const copied = instructions.filter(({ name }) => name === 'COPY').map(({ rest }) => rest)
  expect(read('.dockerignore').trim().split('\n')).toEqual(['*', '!dist/image'])
  expect(copied.filter((rest) => !rest.startsWith('dist/image/'))).toEqual([])
})
