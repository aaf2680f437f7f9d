import { expect } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { completeLock } from '../../../scripts/release/lock.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { serveFolders } from '../../support/servers/npm-registry.ts'
import { testWhere } from '../../support/where.ts'
import { version } from '../../../package.json'

const locked = `sha512-${Buffer.alloc(64).toString('base64')}`
const lack = Bun.which('npm') === null ? 'npm is not here' : null

/** Sets up a registry that contains `addon`, and a project whose lock file lacks checksums. */
async function project(
  work: (project: { folder: string; env: Record<string, string>; lock(): any }) => Promise<void>,
): Promise<void> {
  await using temp = await createTempFolder('lock')
  const addon = join(temp.path, 'npm', 'addon')
  mkdirSync(addon, { recursive: true })
  writeFileSync(join(addon, 'package.json'), JSON.stringify({ name: 'addon', version }))
  await using registry = serveFolders(join(temp.path, 'npm'), ['addon'])
  const folder = join(temp.path, 'project')
  mkdirSync(folder)
  const path = join(folder, 'package-lock.json')
  const packages = {
    '': { version: '1.0.0' },
    'node_modules/addon': { version, cpu: ['arm64'], optional: true },
    'node_modules/elsewhere': { version, optional: true },
    'node_modules/kept': { version, integrity: locked },
    'node_modules/linked': { resolved: 'empty', link: true },
    empty: { version: '0.0.0' },
  }
  writeFileSync(path, `${JSON.stringify({ lockfileVersion: 3, packages }, null, 2)}\n`)
  const env = {
    PATH: process.env.PATH!,
    HOME: temp.path,
    npm_config_registry: registry.url,
    npm_config_fetch_retries: '0',
  }
  await work({ folder, env, lock: () => JSON.parse(readFileSync(path, 'utf8')).packages })
}

testWhere(lack)('adds the checksums from the registry, and names the packages that it lacks', () =>
  project(async ({ folder, env, lock }) => {
    const before = lock()
    const made = await completeLock(folder, env)
    expect(made).toEqual({
      locked: [`addon@${version}`],
      missing: { [`elsewhere@${version}`]: expect.stringMatching(/^E404: /) },
    })
    const { integrity, ...rest } = lock()['node_modules/addon']
    expect(integrity).toMatch(/^sha512-.{86}==$/)
    expect({ ...lock(), 'node_modules/addon': rest }).toEqual(before)
    expect(Object.keys(lock()['node_modules/addon']).slice(0, 2)).toEqual(['version', 'integrity'])
    const text = readFileSync(join(folder, 'package-lock.json'), 'utf8')
    expect(text).toEndWith('}\n')
    expect(text).not.toContain(env.npm_config_registry!)
  }),
)

testWhere(lack)('does not change the lock file if the registry cannot be reached', () =>
  project(async ({ folder, env, lock }) => {
    const before = lock()
    const made = await completeLock(folder, { ...env, npm_config_registry: 'http://127.0.0.1:9/' })
    expect(made.locked).toEqual([])
    expect(Object.values(made.missing).join('\n')).toMatch(/^ECONNREFUSED: .*\nECONNREFUSED: .*$/)
    expect(lock()).toEqual(before)
  }),
)
