/** Tests messages for new users and after mistakes with dist/og. */
import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createWorld } from '../../support/e2e.ts'

test('og without arguments prints three first steps and ten commands in at most 30 rows', async () => {
  await using world = await createWorld()
  const { stdout } = await world.og([])
  expect((await world.og(['--help'])).stdout).toBe(stdout)
  expect(stdout.split('\n').length).toBeLessThanOrEqual(31)
  const [steps = '', commands = ''] = stdout.split('\nCommands:\n')
  expect(steps.match(/^ {2}og (add|query|install-mcp) /gm) ?? steps).toHaveLength(3)
  expect(commands.split('\n\n')[0]!.split('\n')).toHaveLength(10)
})

test('suggests the og command for the name that another program uses', async () => {
  await using world = await createWorld()
  for (const [typed, ours] of [
    ['search', 'query'],
    ['delete', 'remove'],
    ['install', 'add'],
  ]) {
    await world.check([typed!, 'x'], {
      exitCode: 2,
      stderr: `error: Unknown command "${typed}"\nhint: did you mean "${ours}"?\n`,
    })
  }
})

test('reports that a second source replaces one with the same name', async () => {
  await using world = await createWorld()
  const docs = (name: string) => {
    mkdirSync(join(world.folder, name))
    writeFileSync(join(world.folder, name, 'a.md'), `# ${name}\n\nText of ${name}.\n`)
    return join(world.folder, name)
  }
  const [one, two] = [docs('one'), docs('two')]
  const add = (...args: string[]) => world.og(['add', 'lib', ...args])
  const said = (await add('-s', one)).stderr + (await add('-s', one, '-y')).stderr
  expect(said).not.toContain('replaced')
  for (const more of [[], ['-y']]) {
    const { exitCode, stderr } = await add('-s', more.length === 0 ? two : one, ...more)
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^warning: lib local-.* is replaced: it came from .*, and now comes from .*\n/,
      ),
    ])
  }
  expect((await add('-s', two, '-v', '2')).stderr).not.toContain('replaced')
  expect((await add('-s', one, '-v', '2')).stderr).toContain('lib 2 is replaced')
})

test('writes the link on the PATH, so that settings outlive a new version', async () => {
  await using world = await createWorld()
  const link = join(world.folder, 'tmp', 'og')
  symlinkSync(join(world.folder, 'bin', 'og'), link)
  const env = { PATH: `${dirname(link)}:${world.env.PATH}` }
  const [{ path }] = await world.json(['install-mcp', '--cursor', '--json'], { env })
  expect(JSON.parse(readFileSync(path, 'utf8')).mcpServers.og.command).toBe(link)
})

test('writes only og into the project file, and adds the options to its arguments', async () => {
  await using world = await createWorld()
  const path = join(world.folder, 'cwd', '.mcp.json')
  const entry = () => JSON.parse(readFileSync(path, 'utf8')).mcpServers.og
  const install = ['install-mcp', '--claude-code', '--project', '--', '--allow-ingest']
  await world.og(install)
  expect(entry()).toMatchObject({ args: ['mcp', '--allow-ingest'] })
  expect(entry().command).toStartWith('/')
  await world.og(install, { env: { PATH: `${join(world.folder, 'bin')}:${world.env.PATH}` } })
  expect(entry()).toMatchObject({ command: 'og', args: ['mcp', '--allow-ingest'] })
  await world.check(['install-mcp', '--cursor', '--', '--alow-ingest'], {
    exitCode: 2,
    stderr: /^error: Unknown option "--alow-ingest" of "og mcp"/,
  })
})
