import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installationAt } from '../../../src/cli/upgrade/releases.ts'
import {
  replaceInstallation,
  swapWithPrevious,
  readVersion,
} from '../../../src/cli/upgrade/replace.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

const { signal } = new AbortController()

test('rolling back twice restores the original state', async () => {
  await using temp = await createTempFolder('replace')
  const installed = installationAt(join(temp.path, 'og'))
  writeFileSync(installed.path, scriptOf('2.0.0'), { mode: 0o755 })
  await expect(swapWithPrevious(installed, signal)).rejects.toThrow('there is no file')
  writeFileSync(installed.previous, scriptOf('1.0.0'), { mode: 0o755 })
  mkdirSync(join(temp.path, '.og-upgrade-killed'))
  for (const expected of ['1.0.0', '2.0.0']) {
    expect(await swapWithPrevious(installed, signal)).toBe(expected)
    expect(readFileSync(installed.path, 'utf8')).toBe(scriptOf(expected))
    expect(readdirSync(temp.path).sort()).toEqual(['og', 'og.previous'])
  }
})

const scriptOf = (version: string) => `#!/bin/sh\necho ${version}\n`

test('keeps the executable if the previous one cannot be run', async () => {
  await using temp = await createTempFolder('replace')
  const installed = installationAt(join(temp.path, 'og'))
  writeFileSync(installed.path, scriptOf('2.0.0'), { mode: 0o755 })
  for (const [content, reason] of [
    ['\x7fELF cut', 'it is not a program for this system'],
    ['#!/bin/sh\necho "bad page" >&2; exit 1\n', 'bad page'],
    ['#!/bin/sh\necho hello\n', 'hello'],
  ] as const) {
    writeFileSync(installed.previous, content, { mode: 0o755 })
    await expect(swapWithPrevious(installed, signal)).rejects.toThrow(reason)
    expect(readFileSync(installed.path, 'utf8')).toBe(scriptOf('2.0.0'))
    expect(readFileSync(installed.previous, 'utf8')).toBe(content)
    rmSync(installed.previous)
  }
  mkdirSync(installed.previous)
  await expect(swapWithPrevious(installed, signal)).rejects.toThrow('there is no file')
})

test('deletes the leftovers of a killed upgrade, even if the next one fails', async () => {
  await using temp = await createTempFolder('replace')
  const installed = installationAt(join(temp.path, 'og'))
  writeFileSync(installed.path, 'old')
  mkdirSync(join(temp.path, '.og-upgrade-abc'))
  writeFileSync(join(temp.path, '.og-upgrade-abc', 'og'), 'half')
  const file = { file: 'a.tar.gz', bytes: 1, sha256: '0' }
  await expect(
    replaceInstallation(installed, {
      version: '1.0.0',
      url: 'http://127.0.0.1:1/a.tar.gz',
      archive: file,
      executable: file,
      signal,
      onProgress: () => {},
    }),
  ).rejects.toThrow('connection refused')
  expect(readdirSync(temp.path)).toEqual(['og'])
})

test('reads the version of an executable by running it', async () => {
  await using temp = await createTempFolder('replace')
  const path = join(temp.path, 'og')
  writeFileSync(path, '#!/bin/sh\necho 1.2.3\n', { mode: 0o755 })
  expect(await readVersion(path, signal)).toBe('1.2.3')
  writeFileSync(path, '#!/bin/sh\necho no >&2; exit 3\n', { mode: 0o755 })
  await expect(readVersion(path, signal)).rejects.toThrow(`Cannot run ${path}: no`)
})
