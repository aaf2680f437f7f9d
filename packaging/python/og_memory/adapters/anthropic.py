"""For the Messages API of Anthropic."""

import json

from og_memory import tools


def get_anthropic_tools(names=None, session=None):
    """Returns the tools of a session, or of the default settings; with `names`, only these."""
    own = getattr(session, "tools", None)
    schemas = own if isinstance(own, list) else [schema for schema, _ in tools.ALL_TOOLS]
    return [
        {
            "name": schema["name"],
            "description": schema["description"],
            "input_schema": schema["parameters"],
        }
        for schema in schemas
        if names is None or schema["name"] in names
    ]


def handle_tool_calls(session, response):
    """
    Returns the turn of the assistant and the turn with the results of its tool calls, which is
    empty if the model called no tool.
    """
    assistant = {"role": "assistant", "content": [it.model_dump() for it in response.content]}
    results = [
        {
            "type": "tool_result",
            "tool_use_id": block.id,
            "content": json.dumps(_answer(session, block)),
        }
        for block in response.content
        if block.type == "tool_use"
    ]
    return assistant, {"role": "user", "content": results} if results else {}


def _answer(session, block):
    arguments = block.input if isinstance(block.input, dict) else {}
    return session.execute_tool(block.name, **arguments)


def run_agent_loop(
    session,
    client,
    messages,
    model="claude-opus-4-5",
    max_tokens=4096,
    system="",
    max_iterations=10,
    **create_kwargs,
):
    """
    Asks the model until it calls no tool, at most ``max_iterations`` times. ``system`` defaults to
    the bootstrap text. Returns ``messages``.
    """
    offered = get_anthropic_tools(session=session)
    system = system or session.bootstrap()
    for _ in range(max_iterations):
        response = client.messages.create(
            model=model,
            max_tokens=max_tokens,
            system=system,
            messages=messages,
            tools=offered,
            **create_kwargs,
        )
        assistant, results = handle_tool_calls(session, response)
        messages.append(assistant)
        if response.stop_reason != "tool_use":
            break
        if results:
            messages.append(results)
    return messages
