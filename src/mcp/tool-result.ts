import type { CallToolResult, TextContent } from '@modelcontextprotocol/server'
import { escapeControls, messageOf, OgError } from '../platform/error.ts'
import type { ToolAnswer } from './tool.ts'

export function toCallResult(
  { text, structured, note }: ToolAnswer,
  { hasStructure }: { hasStructure: boolean },
): CallToolResult {
  const texts = [text, ...(note === undefined ? [] : [note])]
  return { content: texts.map(textBlock), ...(hasStructure && { structuredContent: structured }) }
}

export function errorResult(text: string): CallToolResult {
  return { content: [textBlock(text)], isError: true }
}

/**
 * Returns a text block for a model. Clients print it to terminals, so control characters are
 * escaped.
 */
export function textBlock(text: string): TextContent {
  return { type: 'text', text: escapeControls(text) }
}

export function errorText(tool: string, error: unknown): string {
  if (!(error instanceof OgError)) return `Error calling tool '${tool}': ${messageOf(error)}`
  return error.hint ? `${error.message}\nhint: ${error.hint}` : error.message
}
