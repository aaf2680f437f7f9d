import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCheck, type Check, type Verdict } from '../../platform/check.ts'
import { createTempFolder } from '../../platform/file/files.ts'
import { closeNetwork, internetSockets } from '../../platform/web/sockets.ts'
import type { AddRequest, AddResult, Hit, SearchRequest } from '../library.ts'

/** The part of the opened application that a trial needs. */
export type Trial = AsyncDisposable & {
  add(request: AddRequest): Promise<AddResult>
  search(request: SearchRequest): Promise<{ hits: Hit[] }>
}

/**
 * Indexes a page and asks a question, in a temporary folder and with the network blocked for
 * JavaScript. Then checks whether this process, including native code, has opened an internet
 * socket.
 */
export async function tryWithoutNetwork(openAt: (folder: string) => Trial): Promise<Check[]> {
  using network = closeNetwork()
  const before = await internetSockets()
  const left = { sockets: null as string[] | null }
  const trial = await runCheck('trial without network', async () => {
    await using folder = await createTempFolder('og-doctor')
    await using og = openAt(join(folder.path, 'store'))
    const verdict = await indexAndAsk(og, join(folder.path, 'docs'))
    // Read here, while the embedder and the tables are open.
    left.sockets = await internetSockets()
    return verdict
  })
  const opened = left.sockets?.filter((socket) => !before?.includes(socket)) ?? null
  return [trial, { name: 'sockets', ...socketVerdict(network.attempts, opened) }]
}

async function indexAndAsk(og: Trial, docs: string): Promise<Verdict> {
  const started = performance.now()
  await mkdir(docs)
  await writeFile(join(docs, 'backups.md'), trialPage)
  const source = { kind: 'local_path', path: docs } as const
  const added = await og.add({ library: 'trial', version: '1', source, lockTimeoutMs: 10_000 })
  const { hits } = await og.search({ query: question, library: 'trial', version: null, limit: 1 })
  const ms = Math.round(performance.now() - started)
  const counts = `${added.pages} page, ${added.chunks} chunks, ${added.embedded} embeddings`
  if (hits[0]?.heading.endsWith(answer)) {
    return { ok: true, detail: `indexed ${counts} and answered a question (${ms} ms)` }
  }
  const best = hits[0] ? `"${hits[0].heading}"` : 'nothing'
  return { ok: false, detail: `indexed ${counts}, but "${question}" found ${best}` }
}

function socketVerdict(attempts: string[], opened: string[] | null): Verdict {
  const tries = [...new Set(attempts)].join(', ')
  if (tries !== '') return { ok: false, detail: `the trial tried to reach the network: ${tries}` }
  if (opened === null) {
    return { ok: true, detail: 'no attempt to reach the network (the system shows no sockets)' }
  }
  if (opened.length === 0) {
    return { ok: true, detail: 'no attempt to reach the network, no internet socket open' }
  }
  return { ok: false, detail: `left open by the trial: ${opened.join(', ')}` }
}

const question = 'for how many days is a backup kept?'
const answer = 'Retention'
const trialPage = `# Backups

## Schedule

The job runs every night at two. It writes to the folder named by \`--target\`.

${'Each run begins with a check of the free space and of the clock. '.repeat(20)}

## Retention

A backup is kept for thirty days. Older ones are deleted, the oldest first.

${'Deleting is logged with the name of the file and its size in bytes. '.repeat(20)}

## Encryption

Files are encrypted with the key of the machine before they leave it.

${'The key lies in the settings folder and is read by the job alone. '.repeat(20)}
`
