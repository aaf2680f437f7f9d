/** Tests the output on a terminal, which differs from the output in a pipe. */
import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import { onTerminal, plain } from '../../support/executable/on-terminal.ts'

const question = ['query', 'how do I cancel a brew']

/** Creates a world with pages so long that whole passages fill several screens. */
async function filled(): Promise<World> {
  const world = await createWorld()
  const docs = join(world.folder, 'docs')
  mkdirSync(docs)
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    const lines = Array.from({ length: 40 }, (_, i) => `- Step ${i} of ${name} needs patience.`)
    lines[30] = `- Step 30 of ${name} descales the *boiler* with \`vinegar\`.`
    writeFileSync(join(docs, `${name}.md`), `# Descaling ${name}\n\n${lines.join('\n')}\n`)
  }
  await world.og(['add', 'long', '-s', docs, '-v', '1'])
  return world
}

const script = (world: World, name: string, text: string) => {
  const path = join(world.folder, name)
  writeFileSync(path, text)
  chmodSync(path, 0o755)
  return path
}

test('shows one screen of passages and highlights the query terms', async () => {
  await using world = await filled()
  const { stdout: piped } = await world.og(['query', 'boiler vinegar'])
  for (const rows of [24, 40, 60]) {
    const { exitCode, raw, text } = await onTerminal(world, ['query', 'boiler vinegar'], { rows })
    expect(exitCode).toBe(0)
    expect(text.trimEnd().split('\n').length).toBeLessThan(rows)
    expect(text).toContain('1  Descaling ')
    expect(text).toMatch(/^   long 1, lines \d+-\d+$/m)
    expect(raw).toContain('\x1b[1;33mvinegar\x1b[0m')
    expect(text).not.toMatch(/get_full_content_tool|Found/)
    const told = text.split('og get')[0]!.match(/Step \d+/g)!
    expect(told.length).toBeWithin(3, 9)
    const [, command] = /^ +og get '?([^'\n]+)'? /m.exec(text)!
    expect((await world.og(['get', command!])).stdout).toContain('vinegar')
  }
  const { text } = await onTerminal(world, ['query', 'boiler vinegar'])
  expect(text).toMatch(/^\d more hits: --full shows all$/m)
  const agent = await onTerminal(world, ['query', 'boiler vinegar', '--format', 'agent'])
  expect(agent.text).toBe(piped)
  const same = await world.og(['query', 'boiler vinegar', '--format', 'agent'])
  expect(same.stdout).toBe(piped)
  await world.check([...question, '--format', 'nosuch'], {
    exitCode: 2,
    stderr: 'error: Cannot use "nosuch" for --format: must be one of screen, agent\n',
  })
})

test('prints colours only on terminals, unless an option or variable decides otherwise', async () => {
  await using world = await createWorld()
  await world.og(['add', 'kettle', '-s', handbook, '-v', '1'])
  const painted = async (args: string[], env = {}) =>
    (await onTerminal(world, [...args, '--no-pager'], { env })).raw.includes('\x1b[')
  for (const args of [question, ['get', 'brewing.md']]) {
    expect(await painted(args)).toBe(true)
    expect(await painted(args, { NO_COLOR: '1' })).toBe(false)
    expect(await painted(args, { TERM: 'dumb' })).toBe(false)
    expect(await painted([...args, '--color', 'never'])).toBe(false)
    expect(await painted([...args, '--color', 'always'], { NO_COLOR: '1' })).toBe(true)
    const { stdout } = await world.og(args)
    expect(stdout).not.toContain('\x1b')
    expect((await world.og(args, { env: { FORCE_COLOR: '1' } })).stdout).toBe(stdout)
    const forced = (await world.og([...args, '--color', 'always'])).stdout
    expect(forced).toContain('\x1b[1')
    expect((await world.og([...args, '--format', 'screen'])).stdout).toBe(plain(forced))
  }
})

test('renders a page on a terminal, and removes its control sequences', async () => {
  await using world = await createWorld()
  const docs = join(world.folder, 'docs')
  mkdirSync(docs)
  const page =
    '# Title\n\nSome **strong** words and `code`, a [link](other.md).\n\n' +
    '## Next\n\n| a | b |\n|---|---|\n| 1 | two |\n\n```py\nx = 1\n```\n\n' +
    'Evil \x1b]0;owned\x07 \x9b31m and \u202eturned\u202c.\n'
  writeFileSync(join(docs, 'a.md'), page)
  await world.og(['add', 'a', '-s', docs, '-v', '1'])
  const { raw, text } = await onTerminal(world, ['get', 'a.md', '--no-pager'])
  expect(text).toBe(
    '# Title\n\nSome strong words and code, a link.\n\n## Next\n\na  b\n1  two\n\n' +
      '  x = 1\n\nEvil \\u001b]0;owned\\u0007 \\u009b31m and \\u202eturned\\u202c.\n',
  )
  expect(raw).toContain('\x1b[1;35m# Title\x1b[0m')
  const steering = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]/
  expect(raw.replace(/\x1b\[[0-9;]*m/g, '')).not.toMatch(steering)
  const escaped = 'Evil \\u001b]0;owned\\u0007 \\u009b31m and \\u202eturned\\u202c.\n'
  await world.check(['get', 'a.md'], { stdout: page.replace(/Evil .*\n/, () => escaped) })
})

test('shows long output in the configured pager', async () => {
  await using world = await filled()
  const seen = join(world.folder, 'seen')
  const PAGER = `${script(world, 'pager', `#!/bin/sh\ncat > '${seen}'\n`)} --with arguments`
  const full = ['query', 'boiler vinegar', '--full']
  const paged = await onTerminal(world, full, { env: { PAGER } })
  expect(paged).toMatchObject({ exitCode: 0, text: '' })
  const { text } = await onTerminal(world, [...full, '--no-pager'], { env: { PAGER } })
  expect(text.match(/Step 0 of/g)).toHaveLength(5)
  expect(plain(readFileSync(seen, 'utf8'))).toBe(text)
  expect((await world.og([...full], { env: { PAGER } })).stdout).toStartWith(
    'Found 5 matches in long 1. ',
  )
  const short = await onTerminal(world, ['query', 'boiler vinegar'], { env: { PAGER } })
  expect(short.text).toContain('1  Descaling')
  // If a pager cannot run or fails, og prints the whole output itself.
  const bad = script(world, 'bad', '#!/nonexistent\n')
  for (const broken of ['/nonexistent', 'false', bad, '', 'cat']) {
    expect((await onTerminal(world, full, { env: { PAGER: broken } })).text).toBe(text)
  }
})

test('runs no program from the current folder as a pager', async () => {
  await using world = await filled()
  const cwd = join(world.folder, 'project')
  mkdirSync(cwd)
  const ran = join(world.folder, 'ran')
  for (const name of ['less', 'more', 'pager', 'cat']) {
    writeFileSync(join(cwd, name), `#!/bin/sh\ntouch '${ran}'\ncat\n`)
    chmodSync(join(cwd, name), 0o755)
  }
  const PATH = `.::./bin:${cwd.slice(1)}`
  for (const env of [{ PATH }, { PATH, PAGER: 'pager' }, { PATH, PAGER: './pager' }]) {
    const { text } = await onTerminal(world, ['query', 'boiler vinegar', '--full'], { cwd, env })
    expect(text).toContain('Step 39 of')
    expect(await Bun.file(ran).exists()).toBe(false)
  }
})

test('highlights hits and prints commands in memory searches too', async () => {
  await using world = await createWorld()
  const env = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
  await world.og(['memory', 'write', 'Deploys go out on Tuesdays.', '-w', 'ops'], { env })
  const args = ['memory', 'search', 'deploys', '-w', 'ops']
  const piped = await world.og(args, { env })
  const { raw, text } = await onTerminal(world, args, { env })
  expect(raw).toContain('\x1b[1;33mDeploys\x1b[0m')
  const [command] = /og memory read MEMORY.md --lines \d+-\d+ -w ops$/m.exec(text)!
  expect((await world.og(command!.split(' ').slice(1), { env })).stdout).toContain('Tuesdays')
  expect((await onTerminal(world, [...args, '--format', 'agent'], { env })).text).toBe(piped.stdout)
})
