import type { CallToolResult } from '@modelcontextprotocol/server'
import { OgError, messageOf } from '../platform/error.ts'
import type { ToolAnswer } from './tool.ts'

/** An answer of a tool as the protocol has it; `hasLinks`: the client knows links. */
export function answerResult(
  { text, structured, note, links = [] }: ToolAnswer,
  { hasLinks }: { hasLinks: boolean },
): CallToolResult {
  const texts = [text, ...(note === undefined ? [] : [note])]
  return {
    content: [
      ...texts.map((text) => ({ type: 'text' as const, text })),
      ...(hasLinks ? links : []).map((link) => ({ type: 'resource_link' as const, ...link })),
    ],
    structuredContent: structured,
  }
}

/** An error that the model can act on, which a protocol error is not. */
export function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** What a tool threw, as a text with the way out. */
export function errorText(tool: string, error: unknown): string {
  if (!(error instanceof OgError)) return `Error calling tool '${tool}': ${messageOf(error)}`
  return error.hint ? `${error.message}\nhint: ${error.hint}` : error.message
}
