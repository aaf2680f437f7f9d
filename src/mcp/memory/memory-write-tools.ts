import { memorySchemas } from '../../operation/memory/memory-schema.ts'
import { recordRelation } from '../../operation/memory/relation.ts'
import { compactMemory, writeMemory } from '../../operation/memory/write.ts'
import { defineOperationTool } from './memory-tool.ts'

const adds = { readOnlyHint: false, idempotentHint: false, openWorldHint: false }

export const memoryWriteTool = defineOperationTool(writeMemory, {
  name: 'memory_write',
  title: 'Write into memory',
  description:
    'Append an entry, replace text or lines, or delete lines. When you learn something that a ' +
    'later session will need, write it down: in MEMORY.md if it still matters in months, in ' +
    'USER.md if it is about the user, in AGENTS.md if it is a rule for your behaviour, ' +
    'otherwise in daily. MEMORY.md and daily logs are append-only: use `corrects` to correct ' +
    'one of their entries.',
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
    'object. With `supersedes`, other relations of the same subject and predicate become past.',
  // The operation clamps the value, so the schema must accept values that are out of range.
  faces: { confidence: { isHint: true } },
  output: memorySchemas.relate,
  annotations: { ...adds, destructiveHint: false, idempotentHint: true },
})

export const memoryCompactTool = defineOperationTool(compactMemory, {
  name: 'memory_compact',
  title: 'Compact a file of memory',
  description:
    'Replace a whole file of memory by a shorter text. Read it first with memory_read, keep ' +
    'every fact that matters and date headings such as "## 2026-04-08", and pass the `hash` ' +
    'of that answer as `expect`, so that entries added since then are not lost. og makes a ' +
    'backup first.',
  output: memorySchemas.compact,
  annotations: { ...adds, destructiveHint: true },
})
