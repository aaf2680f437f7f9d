import { memorySchemas } from '../../operation/memory/memory-schema.ts'
import { recordRelation } from '../../operation/memory/relation.ts'
import { compactMemory, writeMemory } from '../../operation/memory/write.ts'
import { defineOperationTool } from './memory-tool.ts'

const adds = { readOnlyHint: false, idempotentHint: false, openWorldHint: false }

export const memoryWriteTool = defineOperationTool(writeMemory, {
  name: 'memory_write',
  title: 'Write into memory',
  description:
    'Append an entry, replace a text or lines, or delete lines. Write down what a later session ' +
    'will need when you learn it: MEMORY.md for what still matters in months, USER.md for who ' +
    'the user is, AGENTS.md for how you should behave, daily for all else. MEMORY.md and daily ' +
    'logs only grow: correct an entry of theirs by `corrects`.',
  faces: {
    file: { isRequired: true },
    content: { isRequired: true },
    start_line: { isHint: true },
    end_line: { isHint: true },
  },
  output: memorySchemas.write,
  annotations: { ...adds, destructiveHint: true },
})

export const memoryRelateTool = defineOperationTool(recordRelation, {
  name: 'memory_relate',
  title: 'Relate two things',
  description:
    'Record how two people, teams, systems or ideas are related, as subject, predicate and ' +
    'object. With `supersedes` what was known of the same subject and predicate becomes past.',
  // The operation clamps the value, so the schema must accept values that are out of range.
  faces: { confidence: { isHint: true } },
  output: memorySchemas.relate,
  // A superseded relation stays in the file and is marked as past.
  annotations: { ...adds, destructiveHint: false, idempotentHint: true },
})

export const memoryCompactTool = defineOperationTool(compactMemory, {
  name: 'memory_compact',
  title: 'Compact a file of memory',
  description:
    'Replace a whole file of memory by a tighter text. Read it first with memory_read, keep ' +
    'every fact that matters and date headings such as "## 2026-04-08", and pass the `hash` of ' +
    'that answer as `expect`, so that nothing added meanwhile is lost. A backup is made first.',
  faces: { tier: { isHint: true } },
  output: memorySchemas.compact,
  annotations: { ...adds, destructiveHint: true },
})
