import { expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sharedCache } from '../../support/run/environment.ts'

/**
 * Runs one round of `npm run test:attack`, which runs for an hour.
 * @returns its exit code and table
 */
async function attack(...args: string[]): Promise<{ code: number; table: string }> {
  const script = join(import.meta.dir, '../../..', 'scripts', 'attack.ts')
  const child = Bun.spawn([process.execPath, script, '--minutes', '0', '--seed', '1', ...args], {
    env: { ...process.env, OG_CACHE_DIR: sharedCache(process.env) },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const table = await new Response(child.stdout).text()
  return { code: await child.exited, table }
}

test('one round of the attack finds no problem', async () => {
  const { code, table } = await attack(
    'pages',
    'sitemaps',
    'registries',
    'gates',
    'kill -9',
    'full disks',
    'every file',
  )
  expect(table).toEndWith('\n0 failures\n')
  expect(code).toBe(0)
  for (const what of [
    'pages changed at random',
    'hostile archives',
    'hostile registries',
    'og serve',
    'the memory',
    'full disks',
    'every file',
  ]) {
    expect(table).toMatch(new RegExp(`^.*${what}.* [1-9]\\d* +0 `, 'm'))
  }
})

test('exits with 1 if an executable prints or does something forbidden', async () => {
  await using temp = await createTempFolder('og-attack-test')
  const og = join(temp.path, 'og')
  const check = async (script: string, expected: string) => {
    writeFileSync(og, `#!/bin/sh\n${script}\n`)
    chmodSync(og, 0o755)
    const { code, table } = await attack('--og', og, 'every file')
    expect(table).toContain(expected)
    expect(code).toBe(1)
  }
  await check('echo "error: internal: x" >&2; exit 2', 'said "internal:"')
  await check('kill -SEGV $$', 'exit code 139')
})
