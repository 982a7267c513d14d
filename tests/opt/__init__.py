"""Every pass on small programs: before and after mean the same, and the aim is reached."""
