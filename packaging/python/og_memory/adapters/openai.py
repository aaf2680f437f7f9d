"""For chat completions of OpenAI and compatible servers."""

import json

from og_memory import tools


def get_openai_tools(names=None, session=None):
    """Returns the tools of a session, or of the default settings; with `names`, only these."""
    return [
        {"type": "function", "function": schema}
        for schema in _schemas(session)
        if names is None or schema["name"] in names
    ]


def handle_tool_calls(session, response, messages):
    """
    Appends the message of the assistant and the results of its tool calls to ``messages``, which is
    also returned. A call whose arguments are not JSON is answered with an error.
    """
    message = response.choices[0].message
    messages.append(message.model_dump(exclude_unset=True))
    for call in message.tool_calls or []:
        answer = _answer(session, call.function)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(answer)})
    return messages


def run_agent_loop(
    session, client, messages, model="gpt-4o", max_iterations=10, **create_kwargs
):
    """Asks the model until it calls no tool, at most ``max_iterations`` times."""
    offered = get_openai_tools(session=session)
    for _ in range(max_iterations):
        response = client.chat.completions.create(
            model=model, messages=messages, tools=offered, **create_kwargs
        )
        messages = handle_tool_calls(session, response, messages)
        if response.choices[0].finish_reason != "tool_calls":
            break
    return messages


def _schemas(session):
    own = getattr(session, "tools", None)
    return own if isinstance(own, list) else [schema for schema, _ in tools.ALL_TOOLS]


def _answer(session, function):
    try:
        arguments = json.loads(function.arguments or "{}")
    except ValueError as error:
        return {"status": "error", "message": f"The arguments are not JSON: {error}"}
    if not isinstance(arguments, dict):
        return {"status": "error", "message": "The arguments are not a JSON object"}
    return session.execute_tool(function.name, **arguments)
