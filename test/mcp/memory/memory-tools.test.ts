import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { openMemoryHome, type MemoryClient } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

let client: MemoryClient
const home = openEach(openMemoryHome)
beforeEach(async () => {
  client = await home().connect({ settings: { EXPOSE_MEMORY_LIST: 'true' } })
  await client.ask('memory_list')
})

const text = (file: string) => readFileSync(home().file(file), 'utf8')

/**
 * Expects these fields in the answer's envelope, or this error message if `expected` is a string.
 */
async function check(name: string, given: object, expected: object | string): Promise<void> {
  const answer = await client.ask(name, given)
  if (typeof expected !== 'string') expect(answer).toMatchObject({ status: 'ok', ...expected })
  else expect(answer.split('\nhint: ')[0]).toBe(`Error executing tool ${name}: ${expected}`)
}

test('returns the envelope as JSON text, and the plain context for memory_bootstrap', async () => {
  const written = await client.call('memory_write', { file: 'MEMORY.md', content: 'a walrus' })
  expect(JSON.parse(written.content[0].text)).toEqual(written.structuredContent)
  const begun = await client.call('memory_bootstrap')
  expect(begun.content[0].text).toBe(begun.structuredContent.content)
  expect(begun.structuredContent.chars).toBe(begun.content[0].text.length)
})

test('returns the same text for an empty memory from the tool and the prompt', async () => {
  const silent = await home().connect({
    workspace: 'silent',
    settings: { BOOTSTRAP__INJECT_AGENTS: 'false', BOOTSTRAP__INJECT_RELATIONS: 'false' },
  })
  mkdirSync(home().file('../silent'))
  for (const name of ['FIRST_RUN.md', 'MEMORY.md', 'USER.md']) {
    writeFileSync(home().file(`../silent/${name}`), '')
  }
  const { content, structuredContent } = await silent.call('memory_bootstrap')
  expect(content[0].text).toBe(
    '(No memory context yet. Use memory_write to start building your memory.)',
  )
  expect(structuredContent).toEqual({ status: 'ok', content: '', chars: 0 })
  for (const asked of [silent, client]) {
    const { prompts } = (await asked.request('prompts/list')).result
    expect(prompts.map(({ name }: any) => name)).toEqual(['memory_bootstrap_prompt'])
    const given = { name: 'memory_bootstrap_prompt' }
    const { messages } = (await asked.request('prompts/get', given)).result
    const tool = await asked.call('memory_bootstrap')
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: tool.content[0].text } },
    ])
  }
})

test('memory_write appends to targets with tags, skips duplicates and rejects invalid input', async () => {
  const given = { file: 'memory.md', content: ' Likes tea. ', tags: ['pref'] }
  await check('memory_write', given, {
    file: 'MEMORY.md',
    tier: 'long_term',
    mode: 'append',
    deduplicated: false,
  })
  expect(text('MEMORY.md')).toMatch(/\n\n## \d{4}-\d\d-\d\d \d\d:\d\d\n\n#pref\nLikes tea\.\n$/)
  await check('memory_write', given, { deduplicated: true, chars_written: 0 })
  await check('memory_write', { file: 'daily', content: 'Rain.' }, { tier: 'daily' })
  await check('memory_write', { file: 'USER.md', content: 'Ann' }, { tier: 'user' })
  await check('memory_write', { file: 'AGENTS.md', content: 'Be brief' }, { tier: 'agent' })
  await check(
    'memory_write',
    { file: 'daily', content: ' ' },
    `'content' cannot be empty for append mode.`,
  )
  await check(
    'memory_write',
    { file: 'daily/2020-01-01.md', content: 'x' },
    `'daily/2020-01-01.md' is a specific daily log and is immutable. ` +
      `Use 'daily' to append to today's log.`,
  )
  await check(
    'memory_write',
    { file: 'NOTES.md', content: 'x' },
    `Unknown append target 'NOTES.md'. ` +
      `Valid targets: ['MEMORY.md', 'USER.md', 'AGENTS.md', 'daily'].`,
  )
})

test('memory_write replaces text and lines, deletes, and rejects invalid input', async () => {
  writeFileSync(home().file('USER.md'), 'one\ntwo\nthree\n')
  const file = 'USER.md'
  await check(
    'memory_write',
    { file, search: 'two', content: '2' },
    { mode: 'replace_text', replaced: true, chars_delta: -2 },
  )
  await check(
    'memory_write',
    { file, start_line: '1', end_line: 2, content: 'first' },
    { mode: 'replace_lines', replaced_lines: '1-2', replaced_preview: 'one\n2\n' },
  )
  await check(
    'memory_write',
    { file, start_line: 2, end_line: 9, content: '' },
    { mode: 'delete', deleted_lines: '2-2' },
  )
  expect(text(file)).toBe('first\n')
  await check(
    'memory_write',
    { file, search: '', content: 'x' },
    `'search' cannot be empty or whitespace.`,
  )
  await check(
    'memory_write',
    { file, search: 'nowhere', content: 'x' },
    'Search text not found in USER.md',
  )
  await check(
    'memory_write',
    { file, start_line: 7, end_line: 8, content: 'x' },
    'start_line 7 out of range (file has 1 lines)',
  )
  await check(
    'memory_write',
    { file: 'MEMORY.md', search: 'a', content: 'b' },
    `'MEMORY.md' is an append-only memory file and cannot be edited or deleted. ` +
      'Use memory_write to append new information instead.',
  )
  await check(
    'memory_write',
    { file: 'none.md', search: 'a', content: 'b' },
    'File not found: none.md',
  )
})

test('weakness 9: deletes nothing if content is omitted', async () => {
  writeFileSync(home().file('USER.md'), 'one\ntwo\n')
  const given = { file: 'USER.md', start_line: 1, end_line: 1 }
  expect(await client.ask('memory_write', given)).toBe(
    'Cannot call memory_write: content is missing (the entry, or the replacement; "" deletes the ' +
      'lines or the `search` text)',
  )
  expect(
    await client.ask('memory_write', { file: 'USER.md', start_line: 1, content: 'x' }),
  ).toContain(`Give both 'start_line' and 'end_line'`)
  expect(text('USER.md')).toBe('one\ntwo\n')
})

test('weakness 10: does not edit lines that differ from `expect`', async () => {
  writeFileSync(home().file('USER.md'), 'one\ntwo\n')
  const given = { file: 'USER.md', start_line: 1, end_line: 1, content: '1' }
  expect(await client.ask('memory_write', { ...given, expect: 'two' })).toContain('USER.md')
  expect(text('USER.md')).toBe('one\ntwo\n')
  await check('memory_write', { ...given, expect: 'one' }, { mode: 'replace_lines' })
})

test('memory_read searches, reads files and lines, and rejects invalid input', async () => {
  await client.ask('memory_write', { file: 'MEMORY.md', content: 'The walrus naps at noon.' })
  const notice = expect.stringContaining('data')
  await check(
    'memory_read',
    { query: ' walrus ' },
    { mode: 'search', query: 'walrus', source: null, count: 1, notice },
  )
  await check(
    'memory_read',
    { query: 'walrus', file: 'user.md', top_k: 3 },
    { source: 'user', count: 0 },
  )
  await check(
    'memory_read',
    { file: 'MEMORY.md', start_line: 1, end_line: 1 },
    {
      mode: 'get',
      file: 'MEMORY.md',
      start_line: 1,
      end_line: 1,
      exists: true,
      content: '# Memory\n',
      chars: 9,
      notice,
    },
  )
  await check('memory_read', {}, `Provide either 'query' (search mode) or 'file' (get mode).`)
  await check('memory_read', { file: 'none.md' }, 'File not found: none.md')
  await check(
    'memory_read',
    { file: '/etc/passwd' },
    `Tool 'memory_read' failed: Access denied: absolute paths are not allowed ` +
      `(got '/etc/passwd').`,
  )
  await check(
    'memory_read',
    { file: '../x' },
    `Tool 'memory_read' failed: Access denied: '../x' resolves outside the workspace.`,
  )
})

test('weakness 30: reads a hit by the path and lines it shows', async () => {
  await client.ask('memory_write', { file: 'daily', content: 'An otter came by.' })
  const {
    results: [hit],
  } = await client.ask('memory_read', { query: 'otter' })
  const { path: file, start_line, end_line } = hit
  await check('memory_read', { file, start_line, end_line }, { content: `${hit.text}\n` })
})

test('memory_relate records, recognizes and supersedes relations, and rejects invalid input', async () => {
  const [subject, predicate] = ['Ann', 'works at']
  await check(
    'memory_relate',
    { subject, predicate, object: 'Acme', confidence: 7 },
    { relation: { subject, predicate, object: 'Acme', note: '', confidence: 1 } },
  )
  await check(
    'memory_relate',
    { subject, predicate, object: 'acme' },
    { deduplicated: true, duplicate_of: expect.stringMatching(/^[0-9a-f]{16}$/) },
  )
  await check(
    'memory_relate',
    { subject, predicate, object: 'Beta', supersedes: 'true' },
    { superseded: [{ subject, predicate, object: 'Acme' }] },
  )
  const answer = await client.ask('memory_relate', { subject: ' ', predicate, object: 'x' })
  expect(answer).toStartWith('Error executing tool memory_relate: Failed to record relation: ')
})

test('memory_list lists files with sizes, days and a preview, and rejects invalid input', async () => {
  await check('memory_list', {}, { count: 4 })
  const { files } = await client.ask('memory_list', { target: 'files' })
  expect(files[0]).toEqual({ file: 'MEMORY.md', line_count: 4, size: text('MEMORY.md').length })
  await check('memory_list', { target: 'daily' }, { daily_files: [], count: 0 })
  await check(
    'memory_list',
    { file: 'MEMORY.md' },
    { line_count: 4, preview: text('MEMORY.md').trimEnd().split('\n') },
  )
  await check('memory_list', { file: 'none.md' }, 'File not found: none.md')
  await check(
    'memory_list',
    { target: 'all' },
    `Unknown target 'all'. Valid targets: ['files', 'daily'].`,
  )
})

test('lists memory_compact if a threshold is set, and replaces a whole tier', async () => {
  client = await home().connect({ settings: { BOOTSTRAP__COMPACTION_TOKEN_THRESHOLD: '5' } })
  await client.ask('memory_write', { file: 'MEMORY.md', content: 'A long story. '.repeat(20) })
  expect((await client.ask('memory_bootstrap')).content).toContain('Compaction Required')
  const { hash } = await client.ask('memory_read', { file: 'MEMORY.md' })
  await check(
    'memory_compact',
    { tier: 'MEMORY.md', content: '# Memory\n\nshort', expect: hash },
    { tier: 'MEMORY.md', chars_written: 15 },
  )
  expect(text('MEMORY.md')).toBe('# Memory\n\nshort\n')
  await check(
    'memory_compact',
    { tier: 'daily', content: 'x' },
    `'daily' is not a compactable tier. Allowed: ['AGENTS.md', 'MEMORY.md', 'USER.md']`,
  )
  await check(
    'memory_compact',
    { tier: 'USER.md', content: 'x' },
    `'USER.md' is not in the configured compaction_tiers. Configured: ['MEMORY.md']`,
  )
  await check('memory_compact', { tier: 'MEMORY.md', content: ' ' }, `'content' cannot be empty.`)
})

test('memory_compact without a threshold names the setting', async () => {
  client = await home().connect()
  await client.ask('memory_write', { file: 'MEMORY.md', content: 'A long story.' })
  const before = text('MEMORY.md')
  const { tools } = (await client.request('tools/list')).result
  expect(tools.map(({ name }: any) => name)).not.toContain('memory_compact')
  const { content, isError } = await client.call('memory_compact', {
    tier: 'MEMORY.md',
    content: 'short',
  })
  expect(isError).toBe(true)
  expect(content[0].text).toContain('GROUNDMEMORY_BOOTSTRAP__COMPACTION_TOKEN_THRESHOLD')
  expect(text('MEMORY.md')).toBe(before)
})

test('memory_tool runs every action, listed or not', async () => {
  client = await home().connect({ settings: { DISPATCHER_MODE: 'true' } })
  const { tools } = (await client.request('tools/list')).result
  expect(tools.map(({ name }: any) => name)).toEqual(['memory_tool'])
  const run = (action: string, args?: object) => ({ action, args })
  await check('memory_tool', run('write', { file: 'daily', content: 'Rain.' }), { tier: 'daily' })
  await check('memory_tool', run('read', { query: 'rain' }), { mode: 'search', count: 1 })
  await check('memory_tool', { action: 'list', args: '{"target":"daily"}' }, { count: 1 })
  await check('memory_tool', run('bootstrap'), {
    bootstrap: expect.stringContaining('## Tool usage'),
  })
  const { schema } = await client.ask('memory_tool', run('describe', { action: 'compact' }))
  expect(schema).toMatchObject({ type: 'object', required: ['tier', 'content'] })
  await check(
    'memory_tool',
    run('describe'),
    'Provide args.action with the name of the action to describe.',
  )
  const names = `['read', 'write', 'relate', 'list', 'compact']`
  await check(
    'memory_tool',
    run('describe', { action: 'x' }),
    `No schema available for action 'x'. Available: ${names}`,
  )
  await check(
    'memory_tool',
    run('forget'),
    `Unknown action 'forget'. Valid actions: ['bootstrap', 'describe', ${names.slice(1)}`,
  )
  await check(
    'memory_tool',
    run('read', { question: 'x' }),
    `Invalid args for action 'read': Unknown argument "question" of memory_read: ` +
      'it takes query, file, top_k, start_line, end_line, tags, any_tags, since, until, as_of, offset, ' +
      'max_tokens, mode, structured',
  )
  await check(
    'memory_tool',
    run('read', { file: '/x' }),
    `Action 'read' failed: Access denied: absolute paths are not allowed (got '/x').`,
  )
})
