"""Refusals as RFC 9457 problem documents, each with a stable code."""
