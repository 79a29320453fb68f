"""Formulas: their text form, what they come to, the calendars and dates they count with, and rows that hold them."""
