import json, os, urllib.error, urllib.request
from client import problem_from_dict, token_from_dict, token_list_from_dict, create_card_token_from_dict


def call(method, path, body=None, content_type="application/json"):
    request = urllib.request.Request(
        os.environ["URL"] + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"SVC-API-KEY": os.environ["KEY"], "Content-Type": content_type},
    )
    try:
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read())
    except urllib.error.HTTPError as error:
        return json.loads(error.read())


data = {"number": "4242424242424242", "expiration_month": 12, "expiration_year": 2099}
card = create_card_token_from_dict({"type": "card", "data": data})
created = token_from_dict(call("POST", "/tokens", card.to_dict()))
patch = {"metadata": {"order": "A-1"}, "expires_at": None}
updated = token_from_dict(call("PATCH", f"/tokens/{created.id}", patch, "application/merge-patch+json"))
read = token_from_dict(call("GET", f"/tokens/{created.id}"))
listed = token_list_from_dict(call("GET", "/tokens?type=card&metadata[order]=A-1"))
found = token_list_from_dict(call("POST", "/tokens/search", {"query": "metadata.order:A-1"}))
payload = call("POST", "/detokenize", {"card": "{{ %s | json: '$.number' }}" % created.id})
number = "{{ %s | json: '$.number' }}" % created.id
reacted = call("POST", "/reactors/" + os.environ["REACTOR"] + "/react", {"args": {"number": number}})
refused = problem_from_dict(call("GET", "/tokens/unknown"))
print(
    json.dumps(
        {
            "created": created.data,
            "metadata": updated.metadata,
            "read": read.data,
            "total": listed.pagination.total_items,
            "found": found.pagination.total_items,
            "detokenized": payload,
            "reacted": reacted["raw"],
            "refused": [refused.status, refused.title],
        }
    )
)
