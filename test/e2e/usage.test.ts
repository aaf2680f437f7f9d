import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dependencies, version } from '../../package.json'
import { handbook, createWorld, type Expected } from '../support/e2e.ts'
import { testWhere } from '../support/where.ts'
import { homePaths } from '../support/run/home-paths.ts'

const base = 'https://kettle.example/handbook'
const add = ['add', 'Kettle', '-s', handbook, '-v', '1.10', '--base-url', base]
/** Runs a command with a terminal as its stdin, stdout and stderr. */
const onTerminal = ['bash', '-c', 'script -qec "$(printf "%q " "$@")" /dev/null', 'bash']

test('wrong usage exits with 2 and prints one line and a hint', async () => {
  await using world = await createWorld()
  await world.og(add)
  const help = (name: string) => `hint: see "og ${name} --help"\n`
  const refused: [string[], string][] = [
    [['qeury', 'x'], 'error: Unknown command "qeury"\nhint: did you mean "query"?\n'],
    [['xyzzy'], 'error: Unknown command "xyzzy"\nhint: see "og --help"\n'],
    [['--verison'], 'error: Unknown option "--verison"\nhint: did you mean "--version"?\n'],
    [['add'], `error: Missing LIBRARY of "og add"\n${help('add')}`],
    [['add', ''], `error: Missing LIBRARY of "og add"\n${help('add')}`],
    [
      ['memory', 'write'],
      `error: Cannot write an entry: CONTENT is missing\n${help('memory write')}`,
    ],
    [
      ['memory', 'write', ''],
      `error: Cannot write an entry: CONTENT is empty\n${help('memory write')}`,
    ],
    [['add', 'x', '-s'], `error: Option "-s" needs a value\n${help('add')}`],
    [
      ['add', 'x', 'y', '-s', '.'],
      'error: Cannot add "x" together with others: only packs (FILE.ogpack) can be\n' +
        'hint: og add accepts one library at a time\n',
    ],
    [
      ['add', 'x'],
      'error: Cannot add "x": no source is named, and no list has one\n' +
        'hint: og add x --source GIT_URL_OR_FOLDER; for a package: og add npm:x (or pypi:, ' +
        'crates:, go:); "og sources" prints all listed sources\n',
    ],
    [
      ['add', 'x', '-s', '.', '--lock-timeout=-1'],
      'error: Cannot use "-1" for --lock-timeout: must be a whole number from 0 to 86400\n',
    ],
    [['query'], `error: Missing TEXT of "og query"\n${help('query')}`],
    [['query', ' '], 'error: Cannot search: TEXT is empty\n'],
    [
      ['query', 'x', '--jsn'],
      'error: Unknown option "--jsn" of "og query"\nhint: did you mean "--json" or "--jsonl"?\n',
    ],
    [
      ['query', 'x', '-k', '0'],
      'error: Cannot use "0" for --top-k: must be a whole number from 1 to 1000\n',
    ],
    [
      ['query', 'x', '-l', 'kettel'],
      'error: Library "kettel" not found\nhint: did you mean "Kettle"?\n',
    ],
    [
      ['query', 'x', '-l', 'kettle', '-v', '3'],
      'error: Version "3" not found for library "kettle"\nhint: indexed: 1.10\n',
    ],
    [
      ['query', '-', '--json'],
      'error: Cannot use --json for queries from stdin\nhint: use --jsonl\n',
    ],
    [['get'], `error: Missing URL of "og get"\n${help('get')}`],
    [
      ['get', 'u', '--lines', '5-2'],
      'error: Cannot use "5-2" for --lines: must be A-B, with 1 <= A <= B\n',
    ],
    [
      ['get', 'u', '-l', 'nope'],
      'error: Library "nope" not found\nhint: og add nope indexes it; indexed: Kettle\n',
    ],
    [['rollback', 'a', 'b'], `error: Unexpected "b" after "og rollback"\n${help('rollback')}`],
    [
      ['rm', 'kettle'],
      'error: Cannot ask whether to delete Kettle 1.10 (8 pages, 13 chunks): this is not a ' +
        'terminal\nhint: pass --yes\n',
    ],
    [
      ['rm', 'kettle', '-v', '1.10'],
      'error: Cannot ask whether to delete Kettle 1.10 (8 pages, 13 chunks): this is not a ' +
        'terminal\nhint: pass --yes\n',
    ],
    [
      ['rm', 'kettle', '-v', '1.1', '-y'],
      'error: Library "kettle" has no version "1.1"\nhint: did you mean "1.10"?\n',
    ],
    [
      ['rm', 'kettel', '-v', '1.10', '-y'],
      'error: Unknown library "kettel"\nhint: did you mean "Kettle"?\n',
    ],
    [['completion', 'ksh'], 'error: Cannot use "ksh" for shell: must be one of bash, zsh, fish\n'],
    [['completion', '--json'], /Unknown option "--json" of "og completion"/ as unknown as string],
    [['doctor', '--ofline'], /did you mean "--offline"\?/ as unknown as string],
  ]
  for (const [args, stderr] of refused) await world.check(args, { exitCode: 2, stderr })
  expect(await world.json(['list', '--json'])).toHaveLength(1)
})

test('exits with 1 if nothing is found', async () => {
  await using world = await createWorld()
  await world.og(add)
  await world.check(['query', 'zyzzyva'], { exitCode: 1, stdout: 'Found 0 matches.\n' })
  await world.check(['query', 'zyzzyva', '-l', 'kettle', '--json'], {
    exitCode: 1,
    stdout:
      '{\n  "query": "zyzzyva",\n  "library": "kettle",\n  "version": null,\n' +
      '  "hits": [],\n  "confidence": "weak",\n' +
      '  "omitted": 0,\n  "notes": [\n    {\n      "kind": "weak",\n' +
      '      "reason": "no good match in Kettle 1.10",\n      "nearest": [],\n' +
      '      "suggest": [],\n      "message": "There is no good match in Kettle 1.10."\n' +
      '    }\n  ],\n  "reason": "no good match in Kettle 1.10",\n  "nearest": [],\n  "suggest": []\n}\n',
  })
  await world.check(
    ['query', '-', '--jsonl'],
    {
      exitCode: 1,
      stdout:
        '{"query":"zyzzyva","library":null,"version":null,"hits":[],"confidence":"weak",' +
        '"omitted":0,"notes":[{"kind":"weak","reason":"no good match in Kettle 1.10","nearest":[],' +
        '"suggest":[],"message":"There is no good match in Kettle 1.10."}],' +
        '"reason":"no good match in Kettle 1.10","nearest":[],"suggest":[]}\n',
    },
    { stdin: 'zyzzyva\n' },
  )
  await world.check(['get', 'https://kettle.example/nothing'], {
    exitCode: 1,
    stderr:
      'error: No page has the address "https://kettle.example/nothing"\n' +
      'hint: og get LIBRARY lists the pages\n',
  })
  await world.check(['get', `${base}/faq.txt`, '--lines', '1000-'], {
    exitCode: 1,
    stderr: 'error: No lines 1000-: the page ends before\n',
  })
})

test('help and version work without native libraries and without a home folder', async () => {
  await using world = await createWorld({ ownCache: true })
  const env = { HOME: undefined, OG_CACHE_DIR: '/nonexistent' }
  await world.check(['--version'], { stdout: `${version}\n` }, { env })
  for (const args of [
    [],
    ['--help'],
    ['help'],
    ['help', '--all'],
    ['add', '-h'],
    ['help', 'query'],
    ['config'],
  ]) {
    await world.check(args, { stdout: /^(og: .*\n\n)?Usage: og / }, { env })
  }
  const licences = await world.og(['version', '--licenses'], { env })
  expect(licences.exitCode).toBe(0)
  const heading = /^(\S+) .*\(.+\)\n===+\n\n/gm
  const titles = [...licences.stdout.matchAll(heading)].map(([, name]) => name)
  expect(titles).toEqual(
    expect.arrayContaining([
      'og',
      '@huggingface/tokenizers',
      '@lancedb/lancedb',
      'apache-arrow',
      'bge-small-en-v1.5',
      'bun',
      ...Object.keys(dependencies),
    ]),
  )
})

test('treats numbers and dashes as text, and "--" as the end of options', async () => {
  await using world = await createWorld()
  const docs = join(world.folder, '-docs')
  await Bun.write(join(docs, 'flags.md'), '# Flags\n\n`--no-lamp` keeps it dark. Number 007.\n')
  await world
    .json(['add', '007', '--source=-docs/../-docs', '-v', '1.10', '--json'], { cwd: world.folder })
    .then(
      () => expect.unreachable(),
      (error) => expect(String(error)).toContain('option'),
    )
  await world.json(['add', '007', '-s', './-docs', '-v1.10', '--json'], { cwd: world.folder })
  expect(await world.json(['list', '--json'])).toMatchObject([{ library: '007', version: '1.10' }])
  const found: Expected = { stdout: /\n1\. Flags \[flags\]/ }
  await world.check(['query', '-l', '007', '-v=1.10', '-k1', '--', '--no-lamp'], found)
  await world.check(['query', '--library=007', '--', '-v', '--json', 'dark'], found)
  await world.check(['query', '--no-lamp'], {
    exitCode: 2,
    stderr: /goes after "--": og query -- --no-lamp\n$/,
  })
  await world.check(['remove', '-v', '1.10', '-y', '--', '007'], {
    stderr: 'Deleted 007 1.10 (1 page, 1 chunk).\n',
  })
})

test('uses colours only on terminals, and removes control sequences from page text', async () => {
  await using world = await createWorld()
  const docs = join(world.folder, 'docs')
  const page = '# Bell\n\nred \x1b[31mwords\x1b]0;title\x07 ring\u009b2J here\n'
  await Bun.write(join(docs, 'bell.md'), page)
  await world.og(['add', 'bell', '-s', docs, '-v', '1', '--base-url', 'https://bell.example'])
  const get = ['get', 'https://bell.example/bell.md']
  const escaped = 'red \\u001b[31mwords\\u001b]0;title\\u0007 ring\\u009b2J here'
  await world.check(get, { stdout: `# Bell\n\n${escaped}\n` })
  const clean = `# Bell\r\n\r\n${escaped}\r\n`
  const bare = { prefix: onTerminal, env: { NO_COLOR: '1' } }
  await world.check(get, { stdout: clean }, bare)
  const shown = await world.og(['query', 'red words'], bare)
  expect(shown.stdout).toContain('red \\u001b[31mwords')
  expect(shown.stdout).not.toMatch(/[\x1b\x07\u009b]/)
  const wrong = ['qeury']
  const plain = 'error: Unknown command "qeury"\r\nhint: did you mean "query"?\r\n'
  const painted = /^\x1b\[31merror:\x1b\[0m Unknown command "qeury"\r\n\x1b\[36mhint:\x1b\[0m /
  await world.check(wrong, { exitCode: 2, stdout: painted }, { prefix: onTerminal })
  const env = { NO_COLOR: '1' }
  await world.check(wrong, { exitCode: 2, stdout: plain }, { prefix: onTerminal, env })
  await world.check(wrong, { exitCode: 2, stderr: plain.replaceAll('\r', '') })
  const added = await world.og(['add', 'bell', '-s', docs, '-v', '2'], { prefix: onTerminal })
  expect(added.stdout).toContain('bell 2: added')
})

test('on a terminal, remove asks for confirmation, and only y means yes', async () => {
  await using world = await createWorld()
  await world.og(add)
  const remove = ['remove', 'kettle', '-v', '1.10']
  // `script` forwards its input, followed by an end of file.
  const no = await world.og(remove, { prefix: onTerminal, stdin: 'n\n' })
  expect(no.stdout).toContain('Delete Kettle 1.10 (8 pages, 13 chunks)? [y/N]')
  expect(no).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('Nothing was changed.') })
  expect(await world.json(['list', '--json'])).toHaveLength(1)
  const yes = await world.og(remove, { prefix: onTerminal, stdin: 'y\n' })
  expect(yes).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Deleted Kettle 1.10') })
  expect(await world.json(['list', '--json'])).toEqual([])
})

test('ignores a closed pipe', async () => {
  await using world = await createWorld()
  const docs = join(world.folder, 'docs')
  const long = `# Long\n\n${'All work and no tea.\n'.repeat(20_000)}`
  await Bun.write(join(docs, 'long.md'), long)
  await world.og(['add', 'long', '-s', docs, '-v', '1', '--base-url', 'https://long.example'])
  const piped = (to: string) => ['bash', '-c', `"$@" | ${to}; echo "\${PIPESTATUS[0]}"`, 'bash']
  const get = ['get', 'https://long.example/long.md']
  await world.check(get, { stdout: `${'# Long'}\n0\n` }, { prefix: piped('head -n 1') })
  await world.check(get, { stdout: '0\n' }, { prefix: piped('true') })
  await world.check(['list'], { stdout: '0\n' }, { prefix: piped('head -c 0') })
  await world.check(get, { stdout: `${long.length}\n0\n` }, { prefix: piped('wc -c') })
})

for (const shell of ['bash', 'zsh', 'fish']) {
  const lack = Bun.which(shell) ? null : `there is no ${shell} here`
  testWhere(lack)(`${shell} accepts the completion script`, async () => {
    await using world = await createWorld()
    const script = join(world.folder, `og.${shell}`)
    writeFileSync(script, (await world.og(['completion', shell])).stdout)
    const { stderr: fault } = Bun.spawnSync([shell, '-n', script])
    expect(fault.toString()).toBe('')
  })
}

test('every shell has a completion script that completes indexed names', async () => {
  await using world = await createWorld()
  await world.og(add)
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout, stderr, exitCode } = await world.og(['completion', shell])
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    expect(stdout).toContain('og __complete')
    writeFileSync(join(world.folder, `og.${shell}`), stdout)
  }
  const complete = (...words: string[]) => world.og(['__complete', '--', ...words])
  expect((await complete('qu')).stdout).toBe('query\tsearch the indexed documentation\n')
  expect((await complete('query', 'x', '-l', 'Ke')).stdout).toBe('Kettle\t\n')
  expect((await complete('remove', 'kettle', '-v', '')).stdout).toBe('1.10\t\n')
  const tab = `source ${join(world.folder, 'og.bash')}
    COMP_LINE='og remove kettle -v 1' COMP_POINT=21
    COMP_WORDS=(og remove kettle -v 1) COMP_CWORD=4; _og; echo "\${COMPREPLY[@]}"`
  const bash = Bun.spawnSync(['bash', '-c', tab], {
    env: { PATH: `${join(world.folder, 'bin')}:/usr/bin:/bin`, HOME: join(world.folder, 'home') },
  })
  expect(bash.stdout.toString()).toBe('1.10\n')
})

test('the environment overrides config.json, and an error names the invalid setting', async () => {
  await using world = await createWorld()
  const { check } = world
  const file = join(world.folder, 'home', homePaths.settings)
  await world.og(add)
  const nHits = async (env = {}) => {
    const { hits } = await world.json(['query', 'boiler', '--json'], { env })
    return hits.length
  }
  expect(await nHits()).toBe(5)
  await check(['config', 'set', 'query.top_k', '2'], { stderr: /^Set query\.top_k = 2\n/ })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ query: { top_k: 2 } })
  expect(await nHits()).toBe(2)
  expect(await nHits({ OG_QUERY__TOP_K: '3' })).toBe(3)
  await check(
    ['query', 'boiler'],
    { exitCode: 2, stderr: /OG_QUERY__TOP_K/ },
    { env: { OG_QUERY__TOP_K: 'three' } },
  )
  writeFileSync(file, '{"query": {"top_k": 4},')
  await check(['query', 'boiler'], { exitCode: 2, stderr: /^error: Cannot read config "DIR.*JSON/ })
  await check(['--version'], { stdout: `${version}\n` })
})
