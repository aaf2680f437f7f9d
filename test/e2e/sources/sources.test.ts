import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { createWorld, type World } from '../../support/e2e.ts'
import { writeFiles } from '../../support/repository.ts'
import { html, openSite, urlset } from '../../support/servers/site.ts'
import { homePaths } from '../../support/run/home-paths.ts'

const saving = { OG_SOURCES__AUTO_ADD_LOCAL: 'true' }

function project(world: World, entries: object): string {
  const folder = join(world.folder, 'project')
  mkdirSync(folder, { recursive: true })
  writeFiles(folder, {
    '.openground/sources.json': JSON.stringify(entries),
    'docs/a.md': '# Kettle\n\nThe kettle of the project.\n',
  })
  return folder
}

test("og add NAME finds its source in the project, the user's list and earlier adds", async () => {
  await using world = await createWorld()
  const cwd = project(world, { kettle: { type: 'local_path', local_path: 'docs' } })
  await world.check(
    ['add', 'Kettle'],
    {
      stdout: /^Kettle local-DATE: added\n/,
      stderr: 'hint: Using sources file: DIR/project/.openground/sources.json\n',
    },
    { cwd },
  )
  await world.check(
    ['add', 'pan', '-s', 'docs'],
    {
      stdout: /^pan local-DATE: added\n/,
      stderr: `Added source for 'pan' to DIR/home/${homePaths.sources}
Added source for 'pan' to DIR/project/.openground/sources.json
hint: to keep no list of sources: og config set sources.auto_add_local false
`,
    },
    { cwd, env: saving },
  )
  await world.check(['add', 'pan'], {
    stdout: /^pan local-DATE: unchanged\n/,
    stderr: `hint: Using sources file: DIR/home/${homePaths.sources}\n`,
  })
  expect(existsSync(join(world.folder, 'cwd', '.openground'))).toBe(false)
  expect(await world.json(['sources', 'pan', '--json'])).toEqual({
    library: 'pan',
    file: join(world.folder, 'home', homePaths.sources),
    entry: { type: 'local_path', local_path: join(cwd, 'docs') },
  })
  await world.check(['sources', 'fastapi'], {
    stdout: `fastapi (the bundled list)
  type        git_repo
  repo_url    https://github.com/fastapi/fastapi.git
  docs_paths  docs/en/docs
  languages   en
`,
  })
  const listed: { library: string }[] = await world.json(['sources', '--json'], { cwd })
  expect(listed.filter(({ library }) => /^(kettle|pan|vite)$/.test(library))).toHaveLength(3)
})

test('updates an imported library from the source in a list', async () => {
  await using world = await createWorld()
  const cwd = project(world, { kettle: { type: 'local_path', local_path: 'docs' } })
  const raw = `${homePaths.rawPages}/kettle/latest/a.json`
  const page = { url: 'u:a', library_name: 'kettle', content: '# Old' }
  writeFiles(join(world.folder, 'home'), { [raw]: JSON.stringify(page) })
  await world.check(['import-raw'], { stdout: /^kettle latest: added\n/ })
  await world.check(['update', 'kettle'], { stdout: 'kettle latest: unchanged (1 page)\n' })
  await world.check(
    ['update', '--all'],
    {
      stdout: /^kettle latest: updated\n/,
      stderr: 'hint: Using sources file: DIR/project/.openground/sources.json\n',
    },
    { cwd },
  )
  await world.check(['query', 'kettle', '--json'], { stdout: /The kettle of the project/ })
  await world.check(['update', 'vite'], {
    exitCode: 2,
    stderr:
      'error: Library "vite" not found: it is not indexed\n' +
      'hint: og add vite indexes it, from the bundled list\n',
  })
})

test('remembers every kind of source, and adds it again by name', async () => {
  await using world = await createWorld()
  const replies = {
    '/sitemap.xml': urlset('/a', '/de/a'),
    '/a': html('A', { lang: 'en' }),
    '/de/a': html('A auf deutsch'),
    '/': html('Home', { body: '<a href="/a">A</a>' }),
    '/llms.txt': '# Site\n\n- [A](/a)\n',
    '/d.zip': () => new Response(zip),
  }
  const zip = zipSync({ 'a.md': Buffer.from('# Zipped') })
  using site = openSite(replies)
  const sources: [string, string[], RegExp][] = [
    ['map', ['/sitemap.xml', '--language', 'de'], /1 \(1 added[^]*\(1 in another language/],
    ['llms', ['/llms.txt', '--exclude', 'x'], /1 \(1 added/],
    ['page', ['/a', '--only-page'], /1 \(1 added/],
    ['linked', ['/', '--follow-links'], /2 \(2 added/],
    ['zipped', ['/d.zip', '--base-url', 'https://a.example'], /1 \(1 added/],
  ]
  for (const [library, [path, ...options], stdout] of sources) {
    const add = ['add', library, '-s', `${site.url}${path}`, ...options]
    await world.check(add, { stdout, stderr: /^Added source for / }, { env: saving })
    await world.check(['add', library], { stdout: /: unchanged\n/, stderr: /^hint: Using sources/ })
    const pages = library === 'linked' ? '2 pages' : '1 page'
    await world.check(['update', library], { stdout: `${library} latest: unchanged (${pages})\n` })
  }
  await world.check(['extract-sitemap', '-s', `${site.url}/sitemap.xml`, '-l', 'map'], {
    stdout: /^map latest: 1 page, 1 skipped, 0 failed\n/,
  })
})

test('a foreign sources file cannot run a program or read a file outside the project (W-60, W-62, W-63)', async () => {
  await using world = await createWorld()
  const cwd = project(world, {
    option: { type: 'git_repo', repo_url: '--upload-pack=touch owned;' },
    helper: { type: 'git_repo', repo_url: 'ext::sh -c "touch owned"' },
    folder: { type: 'local_path', local_path: '..' },
    host: { type: 'git_repo', repo_url: 'http://127.0.0.1:1/r.git' },
  })
  const refused = async (library: string, stderr: RegExp) =>
    world.check(['add', library, '-y'], { exitCode: 2, stderr }, { cwd, stdin: 'y\n' })
  await refused('option', /^error: .*looks like an option\n/)
  await refused('helper', /^error: .*can run commands\n/)
  await refused('folder', /^error: .*outside the project\nhint: .*og sources trust DIR\/project\n/)
  await refused('host', /^error: .*"127\.0\.0\.1" is on a private network\nhint: /)
  expect(existsSync(join(cwd, 'owned'))).toBe(false)
  await world.check(['sources', 'trust', cwd], { stderr: 'Trusted: DIR/project\n' })
  await world.check(
    ['add', 'folder'],
    { stdout: /^folder local-DATE: added\n/, stderr: /Using/ },
    { cwd },
  )
  await refused('option', /^error: .*looks like an option\n/)
  expect(readFileSync(join(cwd, '.openground/sources.json'), 'utf8')).toContain('"helper"')
})

test("uses the version in the project's dependency lock file", async () => {
  await using world = await createWorld()
  for (const version of ['17.0.2', '18.2.0', '19.0.0']) {
    const folder = join(world.folder, version)
    mkdirSync(folder)
    writeFiles(folder, { 'a.md': `# Kettle\n\nKettles of ${version} whistle.\n` })
    await world.og([
      'add',
      'kettle',
      '-s',
      folder,
      '-v',
      version,
      '--base-url',
      'https://a.example',
    ])
  }
  const cwd = project(world, {})
  const packages = { 'node_modules/kettle': { version: '18.3.1' } }
  writeFiles(cwd, { 'package-lock.json': JSON.stringify({ packages }), '.git/HEAD': '' })
  const note = 'Version 18.2.0 of kettle: package-lock.json names 18.3.1.\n'
  await world.check(['query', 'whistle'], { stdout: / 18\.2\.0\. Quoted/, stderr: note }, { cwd })
  await world.check(
    ['get', 'https://a.example/a.md'],
    { stdout: '# Kettle\n\nKettles of 18.2.0 whistle.\n', stderr: note },
    { cwd },
  )
  const found = await world.json(['query', 'whistle', '--json'], { cwd })
  expect(found.notes).toMatchObject([
    {
      kind: 'version-chosen',
      library: 'kettle',
      version: '18.2.0',
      package: 'kettle',
      named: '18.3.1',
      file: 'package-lock.json',
    },
  ])
  await world.check(['query', 'whistle', '-v', '^17'], { stdout: / 17\.0\.2\. Quoted/ }, { cwd })
  await world.check(['query', 'whistle', '-v', 'latest'], { stdout: / 19\.0\.0\. Quoted/ }, { cwd })
  await world.check(['query', 'whistle'], {
    stdout: / 19\.0\.0\. Quoted/,
    stderr: 'Answered from kettle 19.0.0; also indexed: 18.2.0, 17.0.2.\n',
  })
  writeFiles(cwd, { 'package-lock.json': '{"packages": ' })
  await world.check(
    ['query', 'whistle'],
    {
      stdout: / 19\.0\.0\. Quoted/,
      stderr: /^warning: cannot read versions from package-lock\.json: .*\nAnswered from .*\n$/,
    },
    { cwd },
  )
})
