/** Files that are tested through others alone, and named by no test yet. It only gets shorter. */
export const unnamed: readonly string[] = [
  'src/mcp/docs/list-tool.ts',
  'src/mcp/docs/missing.ts',
  'src/mcp/docs/prompt.ts',
  'src/mcp/memory/memory-dispatcher.ts',
  'src/mcp/memory/memory-program-tools.ts',
  'src/mcp/memory/memory-prompt.ts',
  'src/mcp/memory/memory-read-tools.ts',
  'src/mcp/memory/memory-text.ts',
  'src/mcp/memory/memory-tool.ts',
  'src/mcp/memory/memory-write-tools.ts',
  'src/memory/backup/restore-stage.ts',
]
