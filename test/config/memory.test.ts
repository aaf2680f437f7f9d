import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { renderMemoryExample } from '../../scripts/build/docs.ts'
import {
  loadMemoryConfig,
  type MemoryConfig,
  type MemoryFlags,
  findProject,
} from '../../src/config/memory.ts'
import { defaultMemorySettings } from '../../src/memory/settings.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { homePaths } from '../support/run/home-paths.ts'
import { openEach } from '../support/run/dispose.ts'
import { execFileSync } from 'node:child_process'

const temp = openEach(() => createTempFolder('og memory config'))
beforeEach(() => void mkdirSync(join(temp().path, homePaths.memory), { recursive: true }))

type World = { env?: Record<string, string>; dotenv?: string; yaml?: string; flags?: MemoryFlags }

async function check(world: World, read: (config: MemoryConfig) => unknown, expected: unknown) {
  const root = join(temp().path, homePaths.memory)
  writeFileSync(join(root, '.env'), world.dotenv ?? '')
  writeFileSync(join(root, 'groundmemory.yaml'), world.yaml ?? '')
  const found = await loadMemoryConfig({ HOME: temp().path, ...world.env }, world.flags).then(
    read,
    (error: Error) => error.message.replaceAll(temp().path, '~'),
  )
  expect(found).toEqual(expected)
}

test('keeps all text on this machine by default', async () => {
  const settings = { ...defaultMemorySettings, contextMinCosine: 0.55 }
  const { settings: own } = await loadMemoryConfig({ HOME: temp().path })
  expect(own).toMatchObject(settings)
  await check({}, ({ root, workspace }) => [root, workspace], [
    join(temp().path, homePaths.memory),
    'default',
  ])
  await check({}, ({ mcp }) => `${mcp.host}:${mcp.port}`, '127.0.0.1:4242')
})

test('the example file with all settings switched on is the default', async () => {
  const yaml = renderMemoryExample().replace(/^#(?=\S|  \w)/gm, '')
  expect(yaml).toContain('\nsearch:\n  # ')
  const own = ({ settings, embedding, mcp }: MemoryConfig) => ({ settings, embedding, mcp })
  const config = await loadMemoryConfig({ HOME: temp().path })
  await check({ yaml }, own, own(config))
  await check({ yaml: yaml.replace('top_k: 6', 'top_k: 7') }, (it) => it.settings.topK, 7)
})

test('weakness 49: a key in the environment does not select a provider', async () => {
  const env = { OPENAI_API_KEY: 'key' }
  await check({ env }, ({ embedding }) => [embedding.provider, embedding.apiKey], ['local', null])
  await check(
    { env: { ...env, GROUNDMEMORY_EMBEDDING__PROVIDER: 'openai' } },
    ({ embedding }) => embedding.apiKey,
    'key',
  )
})

test('prefers the environment, then .env, then YAML, then the default', async () => {
  const topK = ({ settings }: MemoryConfig) => settings.topK
  const yaml = 'search:\n  top_k: 3\n'
  const dotenv = '\ufeffgroundmemory_search__top_k=4\n'
  await check({ yaml }, topK, 3)
  await check({ yaml, dotenv }, topK, 4)
  await check({ yaml, dotenv, env: { GROUNDMEMORY_SEARCH__TOP_K: '5' } }, topK, 5)
  await check({ yaml, env: { GROUNDMEMORY_SEARCH__TOP_K: '' } }, topK, 3)
  await check(
    { yaml, dotenv },
    ({ origins }) => origins.get('search.top_k'),
    join(temp().path, homePaths.memory, '.env'),
  )
})

test('weakness 57: finds the root folder from its variable or flag, and expands ~', async () => {
  mkdirSync(join(temp().path, 'mem'))
  writeFileSync(join(temp().path, 'mem', '.env'), 'GROUNDMEMORY_WORKSPACE=w\n')
  const place = ({ root, workspace }: MemoryConfig) => [root, workspace]
  const found = [join(temp().path, 'mem'), 'w']
  await check({ env: { GROUNDMEMORY_ROOT_DIR: '~/mem' } }, place, found)
  await check({ flags: { root: join(temp().path, 'mem') } }, place, found)
  await check({ flags: { root: '~/mem', workspace: 'x' } }, place, [found[0], 'x'])
  await check({ flags: { root: '' } }, place, 'Cannot use "" for --root: it is empty')
})

test('weakness 50: reads a .env file outside the root folder only on request', async () => {
  const envFile = join(temp().path, 'project.env')
  writeFileSync(envFile, 'GROUNDMEMORY_EMBEDDING__BASE_URL=http://evil\n')
  const url = ({ embedding }: MemoryConfig) => embedding.baseUrl
  await check({}, url, null)
  await check({ flags: { envFile } }, url, 'http://evil')
  await check(
    { flags: { envFile: `${envFile}x` } },
    url,
    'Cannot read ~/project.envx: there is no such file',
  )
})

test('rejects upstream settings that og cannot follow, or reports that they have no effect', async () => {
  for (const [name, value] of [
    ['BOOTSTRAP__COMPACTION_TOKEN_COUNTER', 'tiktoken'],
    ['SEARCH__RERANK_MODEL', 'cross-encoder/ms-marco-MiniLM-L-6-v2'],
  ]) {
    const env = { HOME: '/nix', [`GROUNDMEMORY_${name}`]: value }
    expect(loadMemoryConfig(env)).rejects.toThrow(`Cannot use "${value}" of GROUNDMEMORY_${name}`)
  }
  const threshold = (value: string) => ({ GROUNDMEMORY_RELATIONS__DEDUP_THRESHOLD: value })
  await check({ env: threshold('0.9') }, ({ ignored }) => ignored, [
    '"relations.dedup_threshold" (0.9 in GROUNDMEMORY_RELATIONS__DEDUP_THRESHOLD) has no effect: ' +
      'similar relations are both kept',
  ])
  await check({ env: threshold('1') }, ({ ignored }) => ignored, [])
})

test('accepts both spellings of flags and comma-separated lists, and ignores unknown names', async () => {
  const yaml = 'mcp:\n  expose_memory_list: true\nnew_thing: 1\n'
  await check({ yaml }, ({ exposeMemoryList }) => exposeMemoryList, true)
  const variable = 'GROUNDMEMORY_MCP__EXPOSE_MEMORY_LIST'
  await check({ env: { [variable]: 'true' } }, ({ exposeMemoryList }) => exposeMemoryList, true)
  const dispatcher = { GROUNDMEMORY_MCP__DISPATCHER_MODE: '1', GROUNDMEMORY_DISPATCHER_MODE: '' }
  await check({ env: dispatcher }, ({ dispatcherMode }) => dispatcherMode, true)
  await check(
    { env: { GROUNDMEMORY_BOOTSTRAP__COMPACTION_TIERS: 'MEMORY.md,USER.md' } },
    ({ settings }) => settings.bootstrap.compactionTiers,
    ['MEMORY.md', 'USER.md'],
  )
  await check({ env: { GROUNDMEMORY_NEW__THING: '1' } }, ({ settings }) => settings.topK, 6)
  await check(
    { env: { GROUNDMEMORY_CUSTOM_FILES: '[{"name":"a.md","max_chars":5}]' } },
    ({ customFiles }) => customFiles,
    [
      {
        name: 'a.md',
        description: '',
        inject: true,
        maxChars: 5,
        searchable: true,
        compactable: false,
        mutable: true,
      },
    ],
  )
})

test('reports where an invalid value was set', async () => {
  await check(
    { dotenv: 'GROUNDMEMORY_EMBEDDING__PROVIDER=x' },
    () => null,
    'Cannot use "x" of ~/.local/share/og/memory/.env for "embedding.provider": ' +
      'it must be one of local, openai, none',
  )
  await check({ yaml: 'a: [' }, () => null, expect.stringMatching(/^Cannot read ~.*yaml: /))
  await check(
    { env: { GROUNDMEMORY_CUSTOM_FILES: '[{}]' } },
    () => null,
    'Cannot use "custom_files": every file must have a name',
  )
})

test('the scope project chooses the workspace of a repository, unless one is set', async () => {
  const repository = join(temp().path, 'code', 'app')
  mkdirSync(join(repository, '.git'), { recursive: true })
  const scope = { GROUNDMEMORY_SCOPE: 'project' }
  const flags = { folder: repository }
  const shown = ({ workspace, project, ignored }: MemoryConfig) => [
    workspace.replace(/-[0-9a-f]{8}$/, '-HASH'),
    project?.userWorkspace ?? null,
    ignored,
  ]
  await check({ env: scope, flags }, shown, ['app-HASH', 'default', []])
  await check({ yaml: 'scope: project', flags }, shown, ['app-HASH', 'default', []])
  await check({ flags: { ...flags, scope: 'project' } }, shown, ['app-HASH', 'default', []])
  await check({ flags }, shown, ['default', null, []])
  await check({ env: scope, flags: { ...flags, scope: 'user' } }, shown, ['default', null, []])
  await check({ env: scope, flags: { folder: temp().path } }, shown, ['default', null, []])
  await check({ env: scope, flags: { ...flags, workspace: 'w' } }, shown, ['w', null, []])
  const ignored = '"scope" (project) has no effect: GROUNDMEMORY_WORKSPACE sets "workspace"'
  const both = { ...scope, GROUNDMEMORY_WORKSPACE: 'w' }
  await check({ env: both, flags }, shown, ['w', null, [ignored]])
  const wrong = 'Cannot use "team" of flag for "scope": it must be one of user, project'
  await check({ flags: { scope: 'team' } }, shown, wrong)
})

test('does not read settings in the repository of the scope project', async () => {
  const repository = join(temp().path, 'app')
  mkdirSync(join(repository, '.git'), { recursive: true })
  writeFileSync(join(repository, '.env'), 'GROUNDMEMORY_ROOT_DIR=/elsewhere\n')
  const flags = { folder: repository, scope: 'project' }
  await check({ flags }, ({ root }) => root, join(temp().path, homePaths.memory))
})

test('a project tunes the search in its groundmemory.yaml, and nothing else', async () => {
  const folder = join(temp().path, 'app')
  mkdirSync(folder)
  const write = (text: string) => writeFileSync(join(folder, 'groundmemory.yaml'), text)
  const shown = (config: MemoryConfig) => [
    config.settings.topK,
    config.embedding.provider,
    config.ignored.map((line) => line.replaceAll(temp().path, '~')),
  ]
  const flags = { folder }
  write('search:\n  top_k: 3\n')
  await check({ flags }, shown, [3, 'local', []])
  await check({ flags, yaml: 'search:\n  top_k: 9\n' }, shown, [9, 'local', []])
  write('root_dir: /elsewhere\nembedding:\n  provider: openai\n')
  const only = 'only "search" is read from a project; for all projects, use '
  await check({ flags }, shown, [
    6,
    'local',
    [
      `"root_dir", "embedding.provider" in ~/app/groundmemory.yaml: ${only}` +
        '~/.local/share/og/memory/groundmemory.yaml',
    ],
  ])
  write('search: [')
  const line = expect.stringMatching(/^Cannot read ~\/app\/groundmemory.yaml: [^\n]+$/)
  await check({ flags }, shown, [6, 'local', [line]])
})

/** Runs `check` in a new folder with an empty `home` and a repository `home/app` with one commit. */
async function inFolder(check: (folder: string) => void) {
  await using temp = await createTempFolder('og project scope')
  const folder = realpathSync(temp.path)
  mkdirSync(join(folder, 'home/app/src'), { recursive: true })
  git(join(folder, 'home/app'), 'init', '--quiet')
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@b']
  git(join(folder, 'home/app'), ...author, 'commit', '--quiet', '--allow-empty', '-m', 'first')
  check(folder)
}

function git(folder: string, ...args: string[]) {
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
}

test('finds the repository of a folder, and none outside of one', () =>
  inFolder((folder) => {
    const home = join(folder, 'home')
    const found = findProject(join(home, 'app/src'), home)
    expect(found?.folder).toBe(join(home, 'app'))
    expect(found?.workspace).toMatch(/^app-[0-9a-f]{8}$/)
    expect(findProject(join(home, 'app'), home)).toEqual(found)
    expect(findProject(home, home)).toBeNull()
    expect(findProject(folder, home)).toBeNull()
  }))

test('shares the workspace of a repository with its worktrees', () =>
  inFolder((folder) => {
    const home = join(folder, 'home')
    git(join(home, 'app'), 'worktree', 'add', '--quiet', join(folder, 'other'))
    expect(findProject(join(folder, 'other'), home)).toEqual(findProject(join(home, 'app'), home))
    git(folder, 'clone', '--quiet', '--bare', join(home, 'app'), join(folder, 'app.git'))
    git(join(folder, 'app.git'), 'worktree', 'add', '--quiet', join(folder, 'third'))
    expect(findProject(join(folder, 'third'), home)?.folder).toBe(join(folder, 'app.git'))
  }))

test('a downloaded folder cannot choose the workspace of another repository', () =>
  inFolder((folder) => {
    const home = join(folder, 'home')
    git(join(home, 'app'), 'worktree', 'add', '--quiet', join(folder, 'other'))
    const fake = join(folder, 'fake')
    const state = join(fake, 'state/worktrees/fake')
    mkdirSync(state, { recursive: true })
    writeFileSync(join(fake, '.git'), `gitdir: ${join(home, 'app/.git/worktrees/other')}\n`)
    expect(findProject(fake, home)?.folder).toBe(fake)
    writeFileSync(join(fake, '.git'), `gitdir: ${state}\n`)
    writeFileSync(join(state, 'gitdir'), join(fake, '.git'))
    writeFileSync(join(state, 'commondir'), join(home, 'app/.git'))
    expect(findProject(fake, home)?.folder).toBe(fake)
  }))

test('does not take the home folder or a folder above it for a project', () =>
  inFolder((folder) => {
    git(folder, 'init', '--quiet')
    git(join(folder, 'home'), 'init', '--quiet')
    const home = join(folder, 'home')
    mkdirSync(join(home, 'notes'))
    mkdirSync(join(folder, 'beside'))
    expect(findProject(join(home, 'notes'), home)).toBeNull()
    expect(findProject(join(folder, 'beside'), home)).toBeNull()
  }))

test('makes a workspace name of any folder name', () =>
  inFolder((folder) => {
    for (const [name, start] of [
      ['.my notes!', 'my-notes--'],
      ['…', 'project-'],
      [`x${'ü'.repeat(80)}`, `x${'ü'.repeat(59)}-`],
    ] as const) {
      mkdirSync(join(folder, name))
      git(join(folder, name), 'init', '--quiet')
      expect(findProject(join(folder, name), '/home')?.workspace).toStartWith(start)
    }
  }))
