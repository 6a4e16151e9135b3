"""From a batch to one commit: snapshot, plan, verify, publish, recover."""
