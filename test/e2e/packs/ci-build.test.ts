import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'
import { commit, git } from '../../support/repository.ts'
import { serveRepositories } from '../../support/servers/git-server.ts'
import { serveFolder } from '../../support/pack/server.ts'
import { html, openSite, urlset, type Replies } from '../../support/servers/site.ts'
import { until } from '../../support/until.ts'

const page = (name: string, said: string) =>
  `# ${name}\n\nThe ${name} ${said}.\n\n## Filling the ${name}\n\nPour water into the ${name}.\n`

/**
 * Creates a bare repository on a server.
 * @returns a function that pushes a page to it
 */
function repository(world: World, name: string): (said: string) => void {
  const work = join(world.folder, 'work', name)
  const bare = join(world.folder, 'repositories', `${name}.git`)
  const push = (said: string) => {
    commit(work, { 'docs/index.md': page(name, said), 'docs/more.md': '# More\n\nA lid.\n' })
    git(work, 'push', '--quiet', bare, 'HEAD:main')
  }
  const license = readFileSync(join(import.meta.dir, '..', '..', '..', 'LICENSE'), 'utf8')
  commit(work, { 'docs/index.md': page(name, 'is new'), LICENSE: license })
  git(work, 'tag', '1.0')
  git(world.folder, 'clone', '--quiet', '--bare', work, bare)
  git(bare, 'config', 'uploadpack.allowFilter', 'true')
  return push
}

const build = ['ci', 'build', '-o', 'public', '--key', 'og.key', '--json']

test('publishes changes in two nightly runs, and keeps the old pack of a broken library', async () => {
  await using world = await createWorld()
  const [pushKettle] = [repository(world, 'kettle'), repository(world, 'jug')]
  await using gits = serveRepositories(join(world.folder, 'repositories'))
  const replies: Replies = {}
  using site = openSite(replies)
  replies['/sitemap.xml'] = urlset(`${site.url}/lamp`)
  replies['/lamp'] = html('Lamp', { body: '<p>A lamp gives light.</p>' })
  const cwd = join(world.folder, 'cwd')
  writeFileSync(
    join(cwd, 'packs.yaml'),
    [
      'min_health: 50',
      'libraries:',
      '  kettle:',
      `    source: ${gits.url}/kettle.git`,
      '    versions: [1.0, latest]',
      '    questions: kettle.jsonl',
      `  jug: { source: ${gits.url}/jug.git, docs_paths: [docs] }`,
      `  lamp: { source: ${site.url}/sitemap.xml }`,
    ].join('\n'),
  )
  const question = { question: 'how do I fill the kettle', gold: ['index.md'] }
  writeFileSync(join(cwd, 'kettle.jsonl'), JSON.stringify(question))
  await world.og(['registry', 'key', 'og.key'])
  const first = await world.og([...build, '--summary', 'summary.md'])
  expect(first.exitCode).toBe(0)
  const { serial, results } = JSON.parse(first.stdout)
  expect(results).toMatchObject([
    {
      library: 'kettle',
      version: '1.0',
      result: 'published',
      pack: 'kettle-1.0.ogpack',
      hits: 100,
    },
    { library: 'kettle', version: 'latest', pack: 'kettle-latest.ogpack', health: 100 },
    { library: 'jug', asked: null, version: 'latest', pack: 'jug-latest.ogpack', pages: 1 },
    { library: 'lamp', version: 'latest', pack: 'lamp-latest.ogpack', error: null },
  ])
  expect(readFileSync(join(cwd, 'summary.md'), 'utf8')).toStartWith(
    '## Packs: 4 published, 0 unchanged, 0 failed\n',
  )

  pushKettle('whistles loudly')
  replies['/sitemap.xml'] = () => new Response('down', { status: 503 })
  gits.requests.length = 0
  const second = await world.og([...build, '--summary', 'summary.md', '--junit', 'junit.xml'])
  expect(second.exitCode).toBe(1)
  const next = JSON.parse(second.stdout)
  expect(next.serial).toBeGreaterThan(serial)
  expect(next.results).toMatchObject(
    [
      { version: '1.0', result: 'unchanged', pack: 'kettle-1.0.ogpack' },
      { version: 'latest', result: 'published', pack: 'kettle-latest+2.ogpack', pages: 2 },
      { library: 'jug', result: 'unchanged', pack: 'jug-latest.ogpack' },
      { library: 'lamp', result: 'failed', pack: 'lamp-latest.ogpack', error: /503/ },
    ].map((it) => ({
      ...it,
      ...('error' in it ? { error: expect.stringMatching(it.error!) } : {}),
    })),
  )
  // For an unchanged commit, og requests only the refs.
  const jug = gits.requests.filter((it) => it.includes('/jug.git'))
  expect(jug.some((it) => it.includes('info/refs'))).toBe(true)
  expect(second.stderr).toContain('jug latest: unchanged')
  const summary = readFileSync(join(cwd, 'summary.md'), 'utf8')
  expect(summary).toContain('| lamp | latest | failed | 1 |')
  expect(summary).toMatch(/### Failed\n\n- \*\*lamp latest\*\*: .*503.*; lamp-latest\.ogpack stays/)
  const junit = readFileSync(join(cwd, 'junit.xml'), 'utf8')
  expect(junit).toContain('<testsuite name="og ci build" tests="4" failures="1"')
  expect(junit).toMatch(/classname="lamp" name="latest" time="[\d.]+"><failure message=".*503/)

  using server = await serveFolder(join(cwd, 'public'))
  await world.og(['registry', 'add', server.url, '--key', 'og.key.pub', '--name', 'team'])
  await world.og(['add', 'kettle@latest'])
  await world.og(['add', 'lamp'])
  const ask = async (text: string) => (await world.json(['query', text, '--json'])).hits[0]?.text
  expect(await ask('whistles loudly')).toContain('whistles loudly')
  expect(await ask('lamp gives light')).toContain('gives light')
  const found = await world.json(['registry', 'search', 'jug', '--json'])
  expect(found[0].license).toBe('MIT')
})

test('builds libraries of the built-in list by name', async () => {
  await using world = await createWorld()
  const hosted = (path: string, files: Parameters<typeof commit>[1]) => {
    const work = join(world.folder, 'work', path)
    commit(work, files)
    git(work, 'tag', '1.2.0')
    git(
      world.folder,
      'clone',
      '--quiet',
      '--bare',
      work,
      join(world.folder, 'repositories', `${path}.git`),
    )
  }
  hosted('pallets/click', {
    'docs/options.rst': 'Options\n=======\n\nAn option is declared by a decorator.\n',
    'examples/other.md': '# Not documentation\n',
    'LICENSE.txt':
      'Redistribution and use in source and binary forms. Neither the name may be used ' +
      'to endorse or promote products.',
  })
  hosted('fastapi/fastapi', {
    'docs/en/docs/index.md': '# FastAPI\n\n{* ../../docs_src/first.py *}\n',
    'docs/de/docs/index.md': '# FastAPI\n\nAuf Deutsch.\n',
    'docs_src/first.py': 'app = FastAPI()\n',
  })
  await using gits = serveRepositories(join(world.folder, 'repositories'))
  const config = `[url "${gits.url}/"]\n  insteadOf = https://github.com/\n`
  writeFileSync(join(world.folder, 'home', '.gitconfig'), config)
  const list = 'libraries: {click: {versions: [^1]}, fastapi: , flask: }'
  writeFileSync(join(world.folder, 'cwd', 'packs.yaml'), list)
  const { exitCode, stdout } = await world.og(['ci', 'build', '--json'])
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout).results).toMatchObject([
    { library: 'click', version: '1.2.0', result: 'published', pages: 1, error: null },
    { library: 'fastapi', version: 'latest', result: 'published', pages: 1, error: null },
    // The server lacks this repository.
    { library: 'flask', result: 'failed', error: expect.stringContaining('pallets/flask') },
  ])
  const packed = await world.json(['pack', '--check', 'packs/click-1.2.0.ogpack', '--json'])
  expect(packed).toMatchObject({
    license: 'BSD-3-Clause',
    source: expect.stringMatching(/^https:\/\/github\.com\/pallets\/click/),
  })
  await world.og(['add', 'packs/fastapi-latest.ogpack', '--trust'])
  const { hits } = await world.json(['query', 'FastAPI app', '--json'])
  expect(hits[0].text).toContain('app = FastAPI()')
})

test('does not publish a pack that fails its checks, and keeps the old one', async () => {
  await using world = await createWorld()
  const cwd = join(world.folder, 'cwd')
  const list = (minHealth: number, more = '') =>
    writeFileSync(
      join(cwd, 'packs.yaml'),
      `libraries: { jug: { source: docs, versions: [1], min_health: ${minHealth}${more} } }`,
    )
  const write = (said: string) => {
    commit(join(cwd, 'docs'), { 'index.md': page('jug', said) })
    rmSync(join(cwd, 'docs', '.git'), { recursive: true })
  }
  write('is new')
  list(0)
  const run = (...more: string[]) => world.og(['ci', 'build', '--json', ...more])
  expect((await run()).exitCode).toBe(0)
  write('has a spout')
  writeFileSync(join(cwd, 'q.jsonl'), '{"question": "spout", "gold": ["other.md"]}\n')
  list(0, ', questions: q.jsonl')
  const failed = await run()
  expect(failed.exitCode).toBe(1)
  expect(failed.stderr).toContain('error: jug 1: Cannot evaluate "jug": it has none of the gold')
  expect(JSON.parse(failed.stdout).results).toMatchObject([
    { result: 'failed', pack: 'jug-1.ogpack' },
  ])
  writeFileSync(join(cwd, 'q.jsonl'), '{"question": "spout", "gold": ["index.md"]}\n')
  expect(JSON.parse((await run('--keep', '1')).stdout).results).toMatchObject([
    { result: 'published', pack: 'jug-1+2.ogpack' },
  ])
  expect(readdirSync(join(cwd, 'packs')).sort()).toEqual(['index.json', 'jug-1+2.ogpack'])
  write('has a spout and a handle')
  // No machine embeds this many pages in a second.
  const many = Array.from({ length: 400 }, (_, i) => join(cwd, 'docs', `${i}.md`))
  many.forEach((path, i) => writeFileSync(path, page(`jug ${i}`, `word${i} pours `.repeat(100))))
  const slow = await run('--time-limit', '1')
  for (const path of many) rmSync(path)
  expect(JSON.parse(slow.stdout).results[0].error).toMatch(/^Cannot build it: it takes/)
  const shares = await Promise.all(['1/2', '2/2'].map((it) => run('--shard', it, '--no-index')))
  expect(shares.flatMap(({ stdout }) => JSON.parse(stdout).results)).toHaveLength(1)
})

test('exits with 2 and writes no index if no library can be built', async () => {
  await using world = await createWorld()
  const cwd = join(world.folder, 'cwd')
  writeFileSync(join(cwd, 'packs.yaml'), 'libraries: { a: { source: none }, b: { source: none } }')
  const { exitCode, stdout, stderr } = await world.og([
    'ci',
    'build',
    '--json',
    '--summary',
    'summary.md',
  ])
  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({
    serial: null,
    results: [
      { result: 'failed', pack: null },
      { result: 'failed', pack: null },
    ],
  })
  expect(stderr).toContain('0 published, 0 unchanged, 2 failed\n')
  expect(readdirSync(join(cwd, 'packs'))).toEqual([])
  expect(readFileSync(join(cwd, 'summary.md'), 'utf8')).toContain('2 failed')
  const share = await world.og(['ci', 'build', '--shard', '1/1', '--no-index'])
  expect(share.exitCode).toBe(1)
})

test('publishes no partial result after kill -9, and the next run builds the rest', async () => {
  await using world = await createWorld()
  const cwd = join(world.folder, 'cwd')
  const names = ['a', 'b', 'c', 'd']
  for (const name of names) {
    commit(join(cwd, name), { 'index.md': page(name, 'is new') })
    rmSync(join(cwd, name, '.git'), { recursive: true })
  }
  const libraries = names.map((it) => `  ${it}: { source: ${it}, versions: [1] }`)
  writeFileSync(join(cwd, 'packs.yaml'), ['libraries:', ...libraries].join('\n'))
  const run = world.start(['ci', 'build', '--jobs', '1'])
  const packs = join(cwd, 'packs')
  const published = () => readdirSync(packs).filter((it) => it.endsWith('.ogpack'))
  await until('a pack', () => existsSync(packs) && published().length > 0)
  run.kill('SIGKILL')
  await run.ended
  for (const pack of published()) await world.og(['pack', '--check', join(packs, pack)])
  const { results } = await world.json(['ci', 'build', '--json'])
  expect(results.map((it: { pack: string }) => it.pack)).toEqual(
    names.map((it) => `${it}-1.ogpack`),
  )
  expect(results[0].result).toBe('unchanged')
  expect(published().sort()).toEqual(names.map((it) => `${it}-1.ogpack`))
})

test('reports an invalid list in one line, and creates nothing', async () => {
  await using world = await createWorld()
  const check = async (text: string, stderr: RegExp) => {
    writeFileSync(join(world.folder, 'cwd', 'packs.yaml'), text)
    await world.check(['ci', 'build'], { exitCode: 2, stderr })
  }
  await check(
    'libraries: { a: { sorce: x } }',
    /^error: Cannot read ".*packs\.yaml": library "a" has "sorce": did you mean "source"\?; known/,
  )
  await check('libraries: [', /^error: Cannot read ".*": .* at line 1, column \d+\n/)
  await check('', /^error: Cannot read ".*": it is not a mapping/)
  expect(readdirSync(join(world.folder, 'cwd'))).toEqual(['packs.yaml'])
  await world.check(['ci', 'build', '-f', 'none.yaml'], {
    exitCode: 2,
    stderr: /^error: Cannot read ".*none\.yaml": /,
  })
})
