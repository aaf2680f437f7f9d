import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unzipSync } from 'fflate'
import identity from '../../../packaging/identity.json'
import { targets } from '../../../scripts/build/target.ts'
import { writeArchive } from '../../../scripts/release/archive.ts'
import { bundleEntries, pluginEntries, serverJson } from '../../../scripts/release/listings.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { PublishedRelease } from '../../../src/platform/published.ts'
import { testWhere } from '../../support/where.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('listings'))

const forge = 'https://github.com/some-org/og'
const about = {
  ...identity,
  registryName: 'io.github.some-org/og',
  homepage: forge,
  releases: `${forge}/releases`,
}
const isMissing = (name: string) => (Bun.which(name) === null ? `${name} is not here` : null)

function check(command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: temp.path })
  expect(`${stdout}${stderr}${status}`).toEndWith('0')
}

/** Lays the entries of an archive out as files. */
function layOut(entries: readonly { name: string; path: string }[], folder: string): string {
  for (const { name, path } of entries) {
    mkdirSync(dirname(join(temp.path, folder, name)), { recursive: true })
    cpSync(path, join(temp.path, folder, name))
  }
  return join(temp.path, folder)
}

async function bundle(): Promise<{ path: string; manifest: any }> {
  const executable = join(temp.path, 'og')
  writeFileSync(executable, '#!/bin/sh\n')
  const entries = [{ name: 'og', path: executable, isExecutable: true }]
  const target = targets.find(({ name }) => name === 'linux-x64')!
  const path = join(temp.path, 'og.mcpb')
  const all = await bundleEntries(target, entries, { folder: temp.path, about })
  await writeArchive(path, all, { folder: '', seconds: 0 })
  const files = unzipSync(readFileSync(path))
  expect(Object.keys(files)).toEqual(['manifest.json', 'server/og'])
  return { path, manifest: JSON.parse(Buffer.from(files['manifest.json']!).toString()) }
}

test('a bundle starts its own executable on its own system', async () => {
  const { manifest } = await bundle()
  expect(manifest.server).toEqual({
    type: 'binary',
    entry_point: 'server/og',
    mcp_config: { command: '${__dirname}/server/og', args: ['mcp', '--allow-ingest'] },
  })
  expect(manifest.compatibility.platforms).toEqual(['linux'])
})

testWhere(isMissing('mcpb'))('mcpb accepts the bundle', async () => {
  const { path } = await bundle()
  check('mcpb', 'unpack', path, join(temp.path, 'unpacked'))
  check('mcpb', 'validate', join(temp.path, 'unpacked', 'manifest.json'))
})

test('a plugin has the servers, the skills and the hooks of install-mcp', async () => {
  const entries = await pluginEntries(join(temp.path, 'made'), about)
  const folder = layOut(entries, 'plugin')
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  expect(entries.map(({ name }) => name).toSorted()).toEqual([
    '.claude-plugin/marketplace.json',
    '.claude-plugin/plugin.json',
    '.mcp.json',
    'README.md',
    'hooks/hooks.json',
    'mcp.json',
    'plugin.json',
    'skills/og-documentation/SKILL.md',
    'skills/og-memory/SKILL.md',
  ])
  const { mcpServers } = read('.mcp.json')
  expect(mcpServers['og-memory']).toEqual({ command: 'og', args: ['memory', 'mcp'] })
  expect(read('mcp.json').mcpServers.og).toEqual({ type: 'stdio', ...mcpServers.og })
  expect(read('hooks/hooks.json').hooks.SessionEnd).toEqual([
    {
      hooks: [{ type: 'command', command: 'og memory capture --client claude-code', timeout: 10 }],
    },
  ])
})

testWhere(isMissing('skillsaw'))('skillsaw accepts the plugin', async () => {
  layOut(await pluginEntries(join(temp.path, 'made'), about), 'linted')
  check('skillsaw', 'lint', '--strict', 'linted')
})

const file = (name: string) => ({ file: name, bytes: 1, sha256: 'a'.repeat(64) })
const release: PublishedRelease = {
  format: 1,
  name: 'og',
  version: identity.name,
  commit: '',
  date: '',
  targets: {
    'linux-x64': {
      trial: null,
      executable: file('og'),
      archives: [file('og.tar.gz'), file('og.mcpb')],
    },
    'linux-arm64': { trial: 'LanceDB 1', executable: file('og'), archives: [file('arm.mcpb')] },
  },
  missing: {},
}

test('server.json lists the packages, and the bundles of no trial', () => {
  const { packages, description, repository }: any = serverJson(release, about)
  expect(description.length).toBeLessThanOrEqual(100)
  expect(repository).toEqual({ url: forge, source: 'github' })
  expect(packages.map(({ registryType }: any) => registryType)).toEqual(['npm', 'pypi', 'mcpb'])
  expect(packages[2].identifier).toMatch(/\/releases\/download\/v[\d.]+\/og\.mcpb$/)
  const unpublished: any = serverJson(release, { ...about, releases: '' })
  expect(unpublished.packages).toHaveLength(2)
  expect(serverJson(release, { ...about, registryName: '' })).toBe(null)
})

testWhere(isMissing('skillsaw'))('skillsaw accepts server.json', () => {
  mkdirSync(join(temp.path, 'registry'))
  writeFileSync(
    join(temp.path, 'registry', 'server.json'),
    JSON.stringify(serverJson(release, about)),
  )
  check('skillsaw', 'lint', '--strict', 'registry')
})
