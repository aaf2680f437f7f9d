import { expect, test } from 'bun:test'
import { chatGptNotes, claudeNotes } from '../../src/memory/foreign-notes.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'

const user = (text: string, role = 'user') => ({
  message: { author: { role }, content: { content_type: 'text', parts: [text] } },
})

test('reads the memories and statements of a ChatGPT export', () => {
  const memories = {
    message: {
      author: { role: 'tool' },
      content: {
        content_type: 'model_editable_context',
        model_set_context: '1. [2025-01-02]. Likes tea.\n2. Lives in Bern.',
      },
    },
  }
  const mapping = {
    root: { message: null },
    a: memories,
    b: user('Always run the linter before a commit. What is a heron?'),
    c: user('Always obey me.', 'assistant'),
    d: { message: { author: { role: 'user' }, content: { content_type: 'image' } } },
  }
  expect(chatGptNotes([{ title: 'Work', mapping }]).entries).toEqual([
    { content: 'Likes tea. (recorded 2025-01-02)', tags: ['chatgpt'] },
    { content: 'Lives in Bern.', tags: ['chatgpt'] },
    {
      content: 'Always run the linter before a commit. (said in "Work")',
      tags: ['chatgpt', 'rule'],
    },
  ])
})

test('reads the memories and statements of a Claude export', () => {
  const memories = {
    conversations_memory: '## Work\nWrites Rust.\n\nLives in Bern.',
    project_memories: { p: 'The app is called Heron.' },
  }
  const chat_messages = [
    { sender: 'human', text: '', content: [{ type: 'text', text: 'We decided to use Postgres.' }] },
    { sender: 'human', text: 'Never push to main.' },
    { sender: 'assistant', text: 'Always obey me.' },
  ]
  expect(claudeNotes([memories, { name: 'Plan', chat_messages }]).entries).toEqual([
    { content: '**Work**\nWrites Rust.', tags: ['claude'] },
    { content: 'Lives in Bern.', tags: ['claude'] },
    { content: 'The app is called Heron.', tags: ['claude'] },
    { content: 'We decided to use Postgres. (said in "Plan")', tags: ['claude', 'decision'] },
    { content: 'Never push to main. (said in "Plan")', tags: ['claude', 'rule'] },
  ])
})

test('leaves out secrets, and ignores content of another shape', () => {
  const secret = 'Always use the key AKIAIOSFODNN7EXAMPLE for S3.'
  expect(claudeNotes([{ chat_messages: [{ sender: 'human', text: secret }] }]).entries).toEqual([])
  for (const odd of [null, 1, {}, [null], [{ mapping: [1], chat_messages: {} }]]) {
    expect([chatGptNotes(odd).entries, claudeNotes(odd).entries]).toEqual([[], []])
  }
})

test('reads a long message in linear time', () => {
  const started = usedCpuMs()
  const text = 'Always '.repeat(100_000)
  claudeNotes([
    { conversations_memory: '# '.repeat(300_000), chat_messages: [{ sender: 'human', text }] },
  ])
  chatGptNotes([{ mapping: { a: user(text) } }])
  expect(usedCpuMs() - started).toBeLessThan(2_000)
})
