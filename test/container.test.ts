/** Dockerfile and compose.yaml, read by rules; test/e2e/container.test.ts runs what they say. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { parseArguments } from '../src/cli/arguments.ts'
import { commands } from '../src/cli/commands/all.ts'
import { memorySettings, memoryVariable } from '../src/config/memory-setting.ts'
import { variables } from '../src/config/env.ts'
import { dockerfileFindings, execForm, parseDockerfile } from './support/dockerfile.ts'

const read = (name: string) => readFileSync(join(import.meta.dir, '..', name), 'utf8')
const dockerfile = read('Dockerfile')
const compose = parse(read('compose.yaml'))
const instructions = parseDockerfile(dockerfile)
const restOf = (name: string) => instructions.filter((it) => it.name === name).map((it) => it.rest)

/** A Dockerfile without fault, and each fault that the rules know. */
function check(from: string, to: string, expected: string): void {
  expect(dockerfile).toContain(from)
  expect(dockerfileFindings(dockerfile.replace(from, to)).join('\n')).toContain(expected)
}

test('the rules find nothing, and would', () => {
  expect(dockerfileFindings(dockerfile)).toEqual([])
  check('USER 65532:65532', 'USER root', 'a user by number, not root')
  check('USER 65532:65532', '', 'one USER')
  check(':bookworm-slim', ':latest', 'a base with its version')
  check(':bookworm-slim', '', 'a base with its version')
  check('CMD ["memory", "serve"]', 'CMD og memory serve', 'CMD as a list')
  check('    CMD ["/usr', '    CMD og "/usr', 'HEALTHCHECK as a list')
  check('COPY LICENSE', 'ADD LICENSE', 'no ADD')
  check('COPY --chmod', 'COPY --from=other --chmod', 'no other')
  check('OG_CACHE_DIR=', 'GROUNDMEMORY_MCP__API_KEY=x OG_CACHE_DIR=', 'a secret in the image')
  check('RUN install', 'RUN apt-get install x && install', 'a build that needs the network')
})

const known = new Set([
  ...memorySettings.map(({ key }) => memoryVariable(key)), ...variables.map(({ name }) => name),
])

test('every variable is one that og reads', () => {
  const set = restOf('ENV').flatMap((rest) => rest.split(/\s+/).map((pair) => pair.split('=')[0]!))
  const named = [...set, ...Object.keys(compose.services.memory.environment)]
  expect(named.filter((name) => !known.has(name))).toEqual([])
  expect(set).toContain('GROUNDMEMORY_ROOT_DIR')
})

test('what is run is a command of og, and its own health check', () => {
  const [entrypoint] = restOf('ENTRYPOINT').map(execForm)
  const [cmd] = restOf('CMD').map(execForm)
  const [health] = restOf('HEALTHCHECK').map((rest) => execForm(rest))
  const copied = instructions.find(({ rest }) => rest.startsWith('dist/og '))!.rest.split(' ')[1]
  expect(entrypoint).toEqual([copied!])
  expect(health![0]).toBe(copied)
  const command = commands.find(({ name }) => name === cmd!.join(' '))!
  expect(parseArguments(command, health!.slice(3))).toMatchObject({ health: true })
})

test('compose: data in the volume of the image, a key that has to be given, this machine only', () => {
  const { memory } = compose.services
  const [[folder]] = restOf('VOLUME').map(execForm) as [string[]]
  expect(memory.volumes).toEqual([`memory:${folder}`])
  expect(Object.keys(compose.volumes)).toEqual(['memory'])
  expect(memory.environment.GROUNDMEMORY_MCP__API_KEY).toMatch(/^\$\{GROUNDMEMORY_MCP__API_KEY:\?/)
  expect(memory.environment.GROUNDMEMORY_MCP__WORKSPACES.split(',')).toHaveLength(2)
  expect(memory.ports).toEqual([`127.0.0.1:${restOf('EXPOSE')[0]}:${restOf('EXPOSE')[0]}`])
  expect(memory).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
})

test('the build sees the executable and the licence, and no more', () => {
  const lines = read('.dockerignore').trim().split('\n')
  const copied = instructions
    .filter(({ name, flags }) => name === 'COPY' && !flags.some((it) => it.startsWith('--from')))
    .map(({ rest }) => rest.split(' ')[0]!)
  expect(lines).toEqual(['*', ...copied.map((path) => `!${path}`)])
})
