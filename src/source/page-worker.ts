/** A thread that parses pages: `ParseJob`s in, one `Parsed` each out. */
import type { Page } from '../page/page.ts'
import { messageOf } from '../platform/error.ts'
import { documentPage, type WebDocument } from './web-document.ts'

export type ParseJob = { id: number; document: WebDocument; address: string }
export type Parsed = { id: number } & ({ page: Page } | { reason: string })

declare const self: Worker

self.onmessage = async ({ data: job }: MessageEvent<ParseJob>) => {
  const parsed: Parsed = await documentPage(job.document, job.address).then(
    (page) => ({ id: job.id, page }),
    (error: unknown) => ({ id: job.id, reason: messageOf(error) }),
  )
  self.postMessage(parsed)
}
