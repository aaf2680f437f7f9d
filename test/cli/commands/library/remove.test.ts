import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHome, type TempHome, type RunOptions } from '../../../support/run-og.ts'
import { writeFiles } from '../../../support/repository.ts'
import { homePaths } from '../../../support/run/home-paths.ts'

type Expected = { code?: number; stderr?: RegExp }

async function check(home: TempHome, typed: string[], expected: Expected, options?: RunOptions) {
  const ran = await home.run(typed, options)
  expect(ran.stderr).toMatch(expected.stderr ?? /^$/)
  expect(ran.code).toBe(expected.code ?? 0)
}

test("nuke asks, deletes og's own data, and reports other data", async () => {
  using home = openHome()
  await check(home, ['nuke', 'all', '-y'], { stderr: /^No data found\. Nothing to delete\.\n$/ })
  writeFiles(join(home.path, 'docs'), { 'a.md': '# A\n\nKettle.' })
  await home.run(['add', 'kettle', '-s', join(home.path, 'docs'), '-v', '1'])
  const raw = join(home.path, homePaths.rawPages, 'react/v1')
  writeFiles(raw, { 'a.json': '{"url": "u:a", "content": "a"}' })
  await check(home, ['nuke', 'all'], { code: 2, stderr: /is not a terminal\nhint: pass --yes\n$/ })
  const no = { tty: true, stdin: 'n\n', env: { NO_COLOR: '1' } }
  await check(home, ['nuke', 'embeddings'], { code: 1, stderr: /Nothing was changed/ }, no)
  await check(home, ['nuke', 'raw_data', '-y'], {
    stderr: /^warning: 1 library version of raw data .* are kept\nNo raw data found\./,
  })
  await check(home, ['nuke', 'embeddings', '-y'], {
    stderr: / {2}- 1 library, 1 version, 1 chunk in .*\/og\/index\nDeleted: /,
  })
  await check(home, ['list'], { stderr: /^No libraries found/ })
  expect((await home.run(['list-raw-libraries'])).stdout).toContain('react: v1')
})

test('does not delete a foreign folder that is configured as the store (W-41)', async () => {
  using home = openHome()
  const folder = join(home.path, 'photos')
  mkdirSync(folder)
  writeFileSync(join(folder, 'registry.json'), '[]')
  const env = { OG_DB_PATH: folder }
  await check(home, ['nuke', 'all', '-y'], { code: 2, stderr: /it is not an og registry/ }, { env })
  await check(home, ['nuke'], {}, { env })
})
