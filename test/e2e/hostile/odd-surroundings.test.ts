import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createWorld, handbook } from '../../support/e2e.ts'
import { homePaths } from '../../support/run/home-paths.ts'

test('reports an invalid config.json in one line before it does any work', async () => {
  await using world = await createWorld()
  const folder = dirname(join(world.folder, 'home', homePaths.settings))
  const path = join(folder, 'config.json')
  const odd: [(path: string) => void, string][] = [
    [(it) => void Bun.spawnSync(['mkfifo', it]), 'it is a pipe, not a file'],
    [(it) => symlinkSync('/dev/zero', it), 'it is a device, not a file'],
    [(it) => mkdirSync(it), 'it is a folder, not a file'],
    [(it) => symlinkSync(it, it), 'ELOOP.*'],
    [
      (it) => {
        writeFileSync(it, '')
        truncateSync(it, 7 * 2 ** 30)
      },
      'it is 7168 MB, limit is 1 MB',
    ],
    [(it) => writeFileSync(it, '['.repeat(300_000)), 'it is nested too deeply'],
    [(it) => writeFileSync(it, '{"a":'.repeat(150_000)), 'it is nested too deeply'],
  ]
  for (const [make, why] of odd) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    make(path)
    const stderr = new RegExp(`^error: Cannot read config "DIR/.*": ${why}\\nhint: .*\\n$`)
    await world.check(['list'], { exitCode: 2, stderr })
  }
})

test('ignores a restart marker that og did not write for the current process', async () => {
  await using world = await createWorld()
  const foreign = { pid: 1, spillId: '../x', before: { HOME: '/nonexistent' } }
  for (const marker of ['', 'x', 'null', '{}', '{"before":1}', JSON.stringify(foreign)]) {
    const env = { OG_RESTARTED: marker }
    await world.check(['version'], { stdout: /^\d+\.\d+\.\d+\n$/ }, { env })
  }
})

test('a query reports a missing temporary folder', async () => {
  await using world = await createWorld()
  const TMPDIR = '/nonexistent/\x1b]0;x\x07'
  const shown = '"/nonexistent/\\\\u001b]0;x\\\\u0007"'.replaceAll(']', '\\]')
  await world.check(
    ['add', 'kettle', '-s', handbook, '-v', '1'],
    {
      exitCode: 2,
      stderr: new RegExp(`^error: Cannot create a temporary folder in ${shown}: .*\\nhint: .*\\n$`),
    },
    { env: { TMPDIR } },
  )
})

test('reports in one line that the file size limit was reached, and changes nothing', async () => {
  await using world = await createWorld()
  await world.json(['add', 'kettle', '-s', handbook, '-v', '1', '--json'])
  const prefix = ['bash', '-c', 'ulimit -f 2; exec "$0" "$@"']
  const ran = await world.og(['add', 'other', '-s', handbook, '-v', '1'], { prefix })
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' })
  expect(ran.stderr).toMatch(/error: Cannot .*larger than this process may write.*\nhint: .*\n$/)
  expect(await world.json(['list', '--json'])).toMatchObject([{ library: 'kettle' }])
  await world.json(['query', 'descaling', '--json'])
  const env = { OG_CACHE_DIR: join(world.folder, 'empty-cache') }
  await world.check(
    ['query', 'descaling'],
    {
      exitCode: 2,
      stderr: /^error: Cannot unpack into .*larger than this process may write\nhint: .*ulimit -f/,
    },
    { prefix, env },
  )
})

test('files in the current folder do not change the behaviour of og', async () => {
  await using world = await createWorld()
  const cwd = join(world.folder, 'cwd')
  writeFileSync(join(cwd, 'evil.ts'), 'console.log("evil")')
  writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./evil.ts"]\n[run]\npreload = ["./evil.ts"]')
  writeFileSync(join(cwd, '.env'), 'OG_DB_PATH=evil\nOG_NO__SUCH=1\n')
  writeFileSync(join(cwd, 'package.json'), '{"type":"commonjs","imports":{"node:fs":"./evil.ts"}}')
  writeFileSync(join(cwd, 'tsconfig.json'), '{"compilerOptions":{"paths":{"*":["./evil.ts"]}}}')
  await world.check(['version'], { stdout: /^\d+\.\d+\.\d+\n$/ })
  await world.json(['add', 'kettle', '-s', handbook, '-v', '1', '--json'])
  expect(readdirSync(cwd)).not.toContain('evil')
  const env = { BUN_CONFIG_FILE: 'bunfig.toml', NODE_OPTIONS: '--require ./evil.ts' }
  await world.check(['version'], { stdout: /^\d+\.\d+\.\d+\n$/ }, { env })
})
