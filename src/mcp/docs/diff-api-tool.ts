import { z } from 'zod'
import type { ApiChange } from '../../api/compare.ts'
import { apiChangeCounts, apiChangeLines, diffApi, sideText } from '../../operation/diff.ts'
import { estimateTokens } from '../../platform/tokens.ts'
import { operationArguments } from '../arguments.ts'
import { readOnlyAnnotations } from '../tool.ts'
import { defineTool } from './docs-tool.ts'
import { escapeInline, fenceText } from './quote.ts'

const args = operationArguments(diffApi.input)

export const diffApiTool = defineTool({
  name: 'diff_api_tool',
  aliases: ['diff_api'],
  title: 'Compare the API of two versions',
  description:
    'List the public names of a library that were removed, renamed, changed in signature, ' +
    'deprecated or added between two indexed versions. Use it before upgrading a dependency.',
  input: args.schema,
  output: z.looseObject({
    changes: z.array(z.looseObject({ status: z.string(), name: z.string() })),
    omitted: z.int(),
  }),
  annotations: readOnlyAnnotations,
  async run({ og }, values) {
    const answer = await diffApi.run(og, args.input(values))
    const { from, to, changes } = answer.value
    const shown = firstChanges(changes)
    const omitted = changes.length - shown.length
    const head = `${sideText(from, to)} → ${sideText(to, from)}: ${apiChangeCounts(changes)}`
    const lines = shown.flatMap(apiChangeLines)
    const list = lines.length === 0 ? '' : `\n${fenceText(lines.join('\n'))}`
    return {
      text: `${escapeInline(head)}${list}`,
      structured: { ...diffApi.json({ ...answer, value: { from, to, changes: shown } }), omitted },
      ...(omitted > 0 && { note: `${omitted} more changes; name some with the argument text.` }),
    }
  },
})

const mostTokens = 4_000

/** Returns the first changes that fit into an answer, removed names before others. */
function firstChanges(changes: readonly ApiChange[]): ApiChange[] {
  let left = mostTokens
  const end = changes.findIndex((it) => {
    left -= estimateTokens(apiChangeLines(it).join('\n'))
    return left < 0
  })
  return changes.slice(0, end < 0 ? changes.length : end)
}
