import { expect, test } from 'bun:test'
import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'
import { page, writeHostile } from '../../support/pack/hostile.ts'
import { writeFiles, type Files } from '../../support/repository.ts'

/** Writes these files to a folder in the world. */
function docs(world: World, files: Files, name = 'docs'): string {
  const folder = join(world.folder, name)
  mkdirSync(folder, { recursive: true })
  writeFiles(folder, files)
  return folder
}

const good = '# Good\n\nA good page about marmots.\n'

test('indexes files and folders with any name', async () => {
  await using world = await createWorld()
  const names = [
    'plain.md',
    'two words.md',
    "it's.md",
    'say "hi".md',
    'new\nline.md',
    'tab\there.md',
    'ünïcode/日本語.md',
    'emoji 🦫.md',
    '-dash.md',
    '%2e%2e.md',
    '#hash?query.md',
    'back\\slash.md',
    '*?[x].md',
    '$(touch proof).md',
    "quote'; DROP TABLE pages; --.md",
    'e\u0301.md',
    '\u00e9.md',
  ]
  const pages = names.map((name, at) => [name, `# Page ${at}\n\nmarmot${at} lives here.\n`])
  const folder = docs(world, Object.fromEntries(pages), 'my "docs"\nand \'more\' 日本')
  const result = await world.json(['add', 'names', '-s', folder, '-v', '1', '--json'])
  expect(result).toMatchObject({ pages: names.length, failed: [], skipped: [] })
  const queries = names.map((_, at) => `marmot${at}`).join('\n')
  const { stdout } = await world.og(['query', '-', '--jsonl', '-k', '1'], { stdin: queries })
  const urls = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).hits[0].url as string)
  expect(new Set(urls).size).toBe(names.length)
  const prefix = `file://${encodeURI(world.folder)}/my%20%22docs%22%0Aand%20%27more%27%20`
  for (const [at, url] of urls.entries()) {
    expect(url.replace("'more'", '%27more%27')).toStartWith(prefix)
    expect(decodeURIComponent(url)).toEndWith(`/${names[at]}`)
  }
  for (const at of [3, 4, 11, 14, 15]) {
    await world.check(['get', urls[at]!], { stdout: `# Page ${at}\n\nmarmot${at} lives here.\n` })
  }
})

test('escapes control characters in pages, packs and paths when it writes to a pipe', async () => {
  await using world = await createWorld()
  const hostile = '\x1b]0;title\x07\x9b2J\u202e'
  const folder = docs(
    world,
    { [`a${hostile}.md`]: `# Tit${hostile}le\n\nA marmot${hostile}.\n` },
    `docs${hostile}`,
  )
  await world.json(['add', 'folder', '-s', folder, '-v', '1', '--json'])
  for (const [version, text] of [
    ['1', 'Old'],
    ['2', 'New'],
  ] as const) {
    const names = { title: `Lamp${hostile}`, description: hostile }
    const own = { ...names, text: `${text} marmot${hostile}.\n` }
    const pages = [page(own, [[`Wick${hostile}`, 0, own.text.length]])]
    const path = writeHostile(join(world.folder, 'lamp.ogpack'), pages, { version })
    await world.check(['add', '--trust', path], { stdout: /lamp/ })
  }
  const url = (await world.json(['query', 'marmot', '-l', 'folder', '--json'])).hits[0].url
  const commands = [
    ['query', 'marmot'],
    ['query', 'marmot', '-l', 'lamp', '--why'],
    ['query', 'marmot', '--json'],
    ['query', hostile],
    ['get', url],
    ['get', url, '--json'],
    ['get', 'index.md', '-l', 'lamp'],
    ['get', `no${hostile}.md`],
    ['list'],
    ['list', '--json'],
    ['context', 'marmot'],
    ['context', 'marmot', '--json'],
    ['diff', 'lamp@1', 'lamp@2'],
    ['diff', 'lamp@1', 'lamp@2', '--json'],
    ['add', 'none', '-s', `${folder}-none`],
    ['update', 'folder'],
  ]
  let escaped = 0
  for (const typed of commands) {
    const { stdout, stderr } = await world.og(typed)
    expect({ typed, stdout, stderr: stderr.match(steering) }).toMatchObject({
      stdout: expect.not.stringMatching(steering),
      stderr: null,
    })
    escaped += Number(/\\u001b/.test(stdout + stderr))
  }
  expect(escaped).toBeGreaterThan(8)
  const exact = await world.json(['get', 'index.md', '-l', 'lamp', '--json'])
  expect(exact.text).toBe(`New marmot${hostile}.\n`)
})

const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/

test('counts unreadable files with their reason, and indexes the other files', async () => {
  await using world = await createWorld()
  const folder = docs(world, {
    'good.md': good,
    'broken.ipynb': '{"cells": [',
    'list.ipynb': '[1, 2]',
    'latin1.md': Buffer.from('# Caf\xe9\n\nLatin one marmots.\n', 'latin1'),
    'binary.txt': Buffer.from([0, 1, 2, 0xff, 0xfe, 0, 0, 7, 0x1b]),
    'empty.md': '',
    'blank.md': '\n\n  \n',
    'utf16.md': Buffer.from('\ufeff# Sixteen\n\nWide marmots.\n', 'utf16le'),
    'bom.md': '\ufeff# Marked\r\n\r\nMarmots with a mark.\r\n',
    loop: { link: '.' },
    'passwd.md': { link: '/etc/passwd' },
    'nowhere.md': { link: 'missing.md' },
  })
  hugeFile(join(folder, 'huge.md'))
  const ran = await world.og(['add', 'mixed', '-s', folder, '-v', '1', '--json'])
  expect(ran).toMatchObject({ exitCode: 1, stderr: '' })
  const result = JSON.parse(ran.stdout)
  const reasons = Object.fromEntries([
    ...result.skipped.map(({ path, reason }: Record<string, string>) => [path, reason]),
    ...result.failed.map(({ url, reason }: Record<string, string>) => [
      url!.slice(`file://${folder}/`.length),
      `failed: ${reason}`,
    ]),
  ])
  expect(reasons).toMatchObject({
    'broken.ipynb': expect.stringMatching(/^failed: .*notebook.*not JSON/),
    'list.ipynb': expect.stringMatching(/^failed: .*notebook/),
    'binary.txt': expect.any(String),
    'huge.md': 'file is 200 MB, limit is 8 MB',
    'passwd.md': 'symbolic link that leaves the folder',
    'nowhere.md': 'symbolic link that cannot be followed',
    loop: 'symbolic link to a folder',
  })
  const page = async (name: string) => (await world.og(['get', `file://${folder}/${name}`])).stdout
  expect(await page('good.md')).toBe(good)
  expect(await page('bom.md')).toBe('# Marked\n\nMarmots with a mark.\n')
  // A file of uncertain encoding is either skipped and listed, or fully decoded.
  for (const name of ['latin1.md', 'utf16.md']) {
    expect(name in reasons || (await page(name)).includes('armots')).toBe(true)
  }
  await world.check(['query', 'root:x:0:0'], { exitCode: 1, stdout: 'Found 0 matches.\n' })
  const list = await world.json(['list', '--json'])
  expect(list).toMatchObject([{ library: 'mixed', pages: result.pages }])
})

/** Creates a file of 200 MB that takes no space on the disk. */
function hugeFile(path: string): void {
  const file = openSync(path, 'w')
  writeSync(file, '# Huge\n\nmarmots\n')
  ftruncateSync(file, 200 * 2 ** 20)
  closeSync(file)
}

test('adding a folder without documentation changes nothing, even if the library had pages before', async () => {
  await using world = await createWorld()
  const folder = docs(world, { 'good.md': good, 'picture.png': 'x' })
  const add = ['add', 'good', '-s', folder, '-v', '1']
  await world.og(add)
  const before = await world.json(['list', '--json'])
  const empty = docs(world, {}, 'empty')
  const nothing = docs(world, { 'picture.png': 'x', 'LICENSE.md': 'Mine.\n' }, 'nothing')
  const blank = docs(world, { 'a.md': '\n', 'b.md': '' }, 'blank')
  for (const source of [empty, nothing, blank]) {
    for (const library of ['good', 'new']) {
      await world.check(['add', library, '-s', source, '-v', '1'], {
        exitCode: 2,
        stderr: /^error: Cannot add library "\w+": .*; nothing was changed\nhint: .*\n$/,
      })
    }
  }
  for (const source of [join(world.folder, 'missing'), join(folder, 'picture.png'), '']) {
    await world.check(['add', 'new', '-s', source], {
      exitCode: 2,
      stderr: /^error: Cannot use ".*" as a source: /,
    })
  }
  expect(await world.json(['list', '--json'])).toEqual(before)
  await world.check(['get', `file://${folder}/good.md`], { stdout: good })
})

test('treats every character of a query as text', async () => {
  await using world = await createWorld({ embeddings: true })
  const folder = docs(world, {
    'good.md': good,
    'odd.md': '# Odd\n\n`a "quoted" word` AND NOT (marmot) OR title:x^2 ~ \\ C++ $lookup 1.2.3 *\n',
  })
  await world.og(['add', 'odd', '-s', folder, '-v', '1'])
  const queries = [
    '"',
    "'",
    '*',
    ':',
    '(',
    ')',
    '\\',
    '"unbalanced',
    'a AND',
    'NOT',
    'title:marmot',
    'x^2 ~3',
    '[1 TO',
    '%',
    '_',
    ';--',
    "' OR 1=1 --",
    '../../etc/passwd',
    '{"match": 1}',
    '日本語 🦫 é',
    '\u202e\ufeff',
    '\ud83e\uddab'.repeat(500),
    'a'.repeat(20_000),
    Array(10_000).fill('marmot').join(' '),
    Array.from({ length: 10_000 }, (_, at) => `word${at}`).join(' '),
    'mar\0mot',
    '\x1b[31m',
  ]
  const { stdout, stderr, exitCode } = await world.og(['query', '-', '--jsonl'], {
    stdin: `${queries.join('\n')}\n`,
  })
  expect(stderr).toBe('')
  expect(exitCode).toBeLessThanOrEqual(1)
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers.map(({ query }) => query)).toEqual(queries)
  const hits = (query: string) => answers[queries.indexOf(query)].hits
  const urls = hits('title:marmot').map((hit: { url: string }) => hit.url)
  expect(urls).toContain(`file://${folder}/good.md`)
  expect(hits('mar\0mot').length).toBeGreaterThan(0)
  for (const query of ['"', "' OR 1=1 --", 'NOT', '10'.repeat(3000)]) {
    const alone = await world.json(['query', '--json', '--', query])
    expect(alone.query).toBe(query)
  }
})

test('accepts only valid library names, and treats versions as data', async () => {
  await using world = await createWorld()
  const folder = docs(world, { 'good.md': good })
  const add = (library: string, version: string) =>
    world.og(['add', '-s', folder, `--version=${version}`, '--json', '--', library])
  // test/library/name.test.ts has further names and versions.
  const refused = ['../x', '/etc', 'a\nb', '@x/../y', 'a'.repeat(300)]
  for (const library of refused) {
    const { exitCode, stderr, stdout } = await add(library, '1')
    expect({ library, exitCode, stdout }).toEqual({ library, exitCode: 2, stdout: '' })
    expect(stderr).toStartWith('error: Cannot use library name ')
  }
  expect((await add('', '1')).stderr).toStartWith('error: Missing LIBRARY of "og add"\n')
  for (const version of ['', '\x1b[31m']) {
    const { exitCode, stderr } = await add('fine', version)
    expect({ version, exitCode }).toEqual({ version, exitCode: 2 })
    expect(stderr).toStartWith('error: Cannot use version ')
  }
  const long = 'x'.repeat(200)
  const versions = ['../../../etc', "it's; --", '日本', '*', long]
  for (const version of versions) expect((await add('@scope/pkg', version)).exitCode).toBe(0)
  for (const name of ['a'.repeat(100), 'con']) expect((await add(name, '1')).exitCode).toBe(0)
  expect((await add('React', '1')).exitCode).toBe(0)
  expect(JSON.parse((await add('react', '1')).stdout)).toMatchObject({
    library: 'React',
    status: 'unchanged',
  })
  expect(JSON.parse((await add('REACT', '2')).stdout).library).toBe('React')
  const listed = await world.json(['list', '--json'])
  const names = listed.map((it: Record<string, string>) => `${it.library}@${it.version}`)
  expect(new Set(names)).toEqual(
    new Set([
      ...versions.map((version) => `@scope/pkg@${version}`),
      `${'a'.repeat(100)}@1`,
      'con@1',
      'React@1',
      'React@2',
    ]),
  )
  for (const version of versions) {
    const { hits } = await world.json([
      'query',
      'marmots',
      '-l',
      '@Scope/pkg',
      '-v',
      version,
      '--json',
    ])
    expect(hits[0]).toMatchObject({ library: '@scope/pkg', version })
  }
  const escape = ['rm', '@scope/pkg', '-v', '../../../etc', '-y']
  await world.check(escape, { stderr: 'Deleted @scope/pkg ../../../etc (1 page, 1 chunk).\n' })
  const left = await world.json(['list', '--json'])
  expect(left.length).toBe(names.length - 1)
})

test('an unreadable or deleted page does not affect other pages', async () => {
  await using world = await createWorld()
  const folder = docs(world, { 'good.md': good, 'locked.md': '# Locked\n' })
  // File modes do not restrict root, unless it gives up the capability to override them.
  const isRoot = process.getuid?.() === 0
  const prefix = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
  Bun.spawnSync(['chmod', '000', join(folder, 'locked.md')])
  const ran = await world.og(['add', 'half', '-s', folder, '-v', '1'], { prefix })
  expect(ran.stdout).toContain(`Failed: file://${folder}/locked.md: permission denied\n`)
  expect(ran.exitCode).toBe(1)
  writeFileSync(join(folder, 'good.md'), good)
  await world.check(['get', `file://${folder}/good.md`], { stdout: good })
})
