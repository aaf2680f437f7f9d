import { z } from 'zod'
import { backUpMemory } from '../../operation/memory/backup.ts'
import { listWrites, syncMemory, undoWrite } from '../../operation/memory/upkeep.ts'
import { decideInbox, listInbox } from '../../operation/memory/inbox.ts'
import { memorySchemas } from '../../operation/memory/memory-schema.ts'
import { listRelations } from '../../operation/memory/relation.ts'
import { readOnlyAnnotations } from '../tool.ts'
import { defineOperationTool, type MemoryTool } from './memory-tool.ts'

const adds = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const memorySync = defineOperationTool(syncMemory, {
  name: 'memory_sync',
  title: 'Sync memory',
  description: 'Update the index after edits by hand; `force` reads every file again.',
  output: memorySchemas.sync,
  annotations: adds,
})

const memoryRelations = defineOperationTool(listRelations, {
  name: 'memory_relations',
  title: 'Relations in memory',
  description:
    'List the relations that are true now or were on a day. Case does not matter in names.',
  output: z.object({ relations: z.array(memorySchemas.relation) }),
  annotations: readOnlyAnnotations,
  fields: (relations) => ({ relations }),
})

const memoryHistory = defineOperationTool(listWrites, {
  name: 'memory_history',
  title: 'History of memory',
  description: 'List the writes into memory, newest first, with the ids that memory_undo accepts.',
  output: z.object({ entries: z.array(memorySchemas.pastWrite) }),
  annotations: readOnlyAnnotations,
  fields: (entries) => ({ entries }),
})

const memoryUndo = defineOperationTool(undoWrite, {
  name: 'memory_undo',
  title: 'Undo a write into memory',
  description: 'Undo the write with this `write_id`, or the last one. An undo can be undone too.',
  output: memorySchemas.undo,
  annotations: { ...adds, destructiveHint: true, idempotentHint: false },
})

const memoryBackup = defineOperationTool(backUpMemory, {
  name: 'memory_backup',
  title: 'Back up memory',
  description: 'Write a consistent copy of the Markdown files of memory to an archive.',
  output: memorySchemas.backup,
  annotations: { ...adds, idempotentHint: false },
  // The path is useless to a client on another machine.
  fields: ({ name, files }) => ({ name, files }),
})

/** Agents see it, and `memoryDecideTool`, if the workspace has an inbox. */
export const memoryInboxTool = defineOperationTool(listInbox, {
  name: 'memory_inbox',
  title: 'Inbox of memory',
  description: 'List captured notes that wait for a decision, oldest first.',
  output: z.object({ notes: z.array(memorySchemas.inboxNote) }),
  annotations: readOnlyAnnotations,
  fields: (notes) => ({ notes }),
})

export const memoryDecideTool = defineOperationTool(decideInbox, {
  name: 'memory_decide',
  title: 'Decide about captured notes',
  description: 'Accept, drop, edit or merge notes of the inbox, as the user has decided.',
  output: memorySchemas.decided,
  annotations: { ...adds, destructiveHint: true, idempotentHint: false },
})

/** Tools for programs. Their calls are answered even if the list does not have them. */
export const programTools: readonly MemoryTool[] = [
  memorySync,
  memoryRelations,
  memoryHistory,
  memoryUndo,
  memoryBackup,
  memoryInboxTool,
  memoryDecideTool,
]
